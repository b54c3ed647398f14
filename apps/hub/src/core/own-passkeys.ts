/** Names of passkeys, and their end. They begin at the login library, which asks the browser. */

import { CodedError, type OwnProof, type SecondFactors } from '@roundhouse/backend-types'
import type { Actor } from './access'
import { entryOf } from './audit'
import type { Context } from './context'
import { once } from './once'
import { prove, told } from './own-proof'
import type { Signed } from './signed'

export interface OwnPasskeysApi {
  renamePasskey(actor: Actor, passkeyId: string, name: string): Promise<SecondFactors>
  removePasskey(signed: Signed, passkeyId: string, proof: OwnProof, idempotencyKey: string): Promise<{ ok: true }>
}

const noPasskey = () => new CodedError('NOT_FOUND', 'Passkey not found.')

export function createOwnPasskeys(
  context: Context,
  overview: (userId: string) => Promise<SecondFactors>,
): OwnPasskeysApi {
  const { writeAs, now } = context
  return {
    renamePasskey: async (actor, passkeyId, name) => {
      await writeAs(actor, async (tx) => {
        if (!(await tx.renamePasskey(actor.userId, passkeyId, name))) throw noPasskey()
        await tx.audit(entryOf(actor, 'passkey.rename', passkeyId), now())
      })
      return overview(actor.userId)
    },
    removePasskey: async (signed, passkeyId, proof, key) => {
      const { actor } = signed
      const { spend } = await prove(context, signed, proof, 'passkey.remove')
      await once(context, { actor, route: `passkey.remove ${passkeyId}`, key, body: {} }, async (tx) => {
        await spend(tx)
        if (!(await tx.removePasskey(actor.userId, passkeyId))) throw noPasskey()
        await tx.audit(entryOf(actor, 'passkey.remove', passkeyId), now())
        return {}
      }).catch(told(context, actor, 'passkey.remove'))
      return { ok: true }
    },
  }
}
