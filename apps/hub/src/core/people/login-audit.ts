/**
 * What the audit log records about sign-ins besides the logins themselves: who was refused, and from where. An unknown
 * e-mail address is not recorded, because some people type a password into the wrong field.
 */

import type { Actor } from '../access/access'
import { entryOf, refusalOf, stranger } from '../audit/audit'
import type { AuditEntry } from '../ports/audit-store'
import type { Reads } from '../ports/stores'

interface LoginAuditDeps {
  audit: (entry: AuditEntry) => Promise<void>
  reads: Pick<Reads, 'logins' | 'people'>
}

/** An unauthenticated caller who signs in. */
export interface AtTheDoor {
  action: 'login.begin' | 'login.second_step' | 'hub.setup'
  email: string
  address: string
  device: string
  /** The proof that was shown with or instead of the password. */
  by?: 'totp' | 'backup code' | 'passkey' | 'identity provider'
}

type OwnDeed = 'passkey.add' | 'identity.link'

/** Writes the audit entries about sign-ins. */
export interface LoginAuditApi {
  setUp(who: AtTheDoor): Promise<void>
  refused(who: AtTheDoor, why: string): Promise<void>
  did(actor: Actor, action: OwnDeed, object: string): Promise<void>
  didNot(actor: Actor, action: OwnDeed, object: string): Promise<void>
}

export function createLoginAudit({ reads, audit }: LoginAuditDeps): LoginAuditApi {
  return {
    setUp: async ({ action, email, address, device }) => {
      const { userId, name } = (await reads.people.findByEmail(email)) ?? { userId: 'unknown', name: '' }
      await audit(entryOf({ userId, name, address }, action, userId, { device }))
    },
    refused: async ({ action, email, address, device, by }, why) => {
      const object = (await reads.people.findByEmail(email))?.userId ?? 'nobody'
      return audit(refusalOf(stranger(address), action, object, { why, device, ...(by ? { by } : {}) }))
    },
    did: (actor, action, object) => audit(entryOf(actor, action, object)),
    didNot: (actor, action, object) => audit(refusalOf(actor, action, object)),
  }
}
