/**
 * What the audit log keeps of the door: who came in, who was refused, who left, and from where. An address of mail that is
 * nobody's here is not kept: some people type a password into the wrong field.
 */
import { entryOf, refusalOf, stranger } from './audit'
import type { Context } from './context'
import type { LoginsApi } from './facade'

export function createLoginAudit({ people, audit }: Pick<Context, 'people' | 'audit'>): LoginsApi {
  return {
    came: async ({ action, email, address, device, by }) => {
      const { userId, name } = people.personByEmail(email) ?? { userId: 'unknown', name: '' }
      if (by === 'backup code') await audit(entryOf({ userId, name, address }, 'backup_code.use', userId))
      await audit(entryOf({ userId, name, address }, action, userId, { device, ...(by ? { by } : {}) }))
    },
    refused: ({ action, email, address, device, by }, why) => {
      const object = people.personByEmail(email)?.userId ?? 'nobody'
      return audit(refusalOf(stranger(address), action, object, { why, device, ...(by ? { by } : {}) }))
    },
    did: (actor, action, object) => audit(entryOf(actor, action, object)),
    didNot: (actor, action, object) => audit(refusalOf(actor, action, object)),
  }
}
