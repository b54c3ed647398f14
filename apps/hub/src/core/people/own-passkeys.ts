/** Renames and deletes passkeys. The login library creates them, because it talks to the browser. */

import { CodedError, type OwnProof, type SecondFactors } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { Signed } from '../access/signed'
import { entryOf } from '../audit/audit'
import type { AuditEntry } from '../ports/audit-store'
import type { FactorKeeper } from '../ports/factor-keeper'
import type { Reads } from '../ports/stores'
import { once } from '../writes/once'
import type { WriteAs } from '../writes/write-as'
import { prove, told } from './own-proof'

interface OwnPasskeysDeps {
  audit: (entry: AuditEntry) => Promise<void>
  keeper: FactorKeeper
  now: () => number
  reads: Pick<Reads, 'factors' | 'logins' | 'people'>
  writeAs: WriteAs
}

export interface OwnPasskeysApi {
  renamePasskey(actor: Actor, passkeyId: string, name: string): Promise<SecondFactors>
  removePasskey(signed: Signed, passkeyId: string, proof: OwnProof, idempotencyKey: string): Promise<{ ok: true }>
}

const noPasskey = () => new CodedError('NOT_FOUND', 'Passkey not found.')

export function createOwnPasskeys(
  deps: OwnPasskeysDeps,
  overview: (userId: string) => Promise<SecondFactors>,
): OwnPasskeysApi {
  const { writeAs, now } = deps
  return {
    renamePasskey: async (actor, passkeyId, name) => {
      await writeAs(actor, async (tx) => {
        if (!(await tx.factors.renamePasskey(actor.userId, passkeyId, name))) throw noPasskey()
        await tx.audit.append(entryOf(actor, 'passkey.rename', passkeyId), now())
      })
      return overview(actor.userId)
    },
    removePasskey: async (signed, passkeyId, proof, key) => {
      const { actor } = signed
      const { spend } = await prove(deps, signed, proof, 'passkey.remove')
      await once(deps, { actor, route: `passkey.remove ${passkeyId}`, key, body: {} }, async (tx) => {
        await spend(tx)
        if (!(await tx.factors.removePasskey(actor.userId, passkeyId))) throw noPasskey()
        await tx.audit.append(entryOf(actor, 'passkey.remove', passkeyId), now())
        return {}
      }).catch(told(deps, actor, 'passkey.remove'))
      return { ok: true }
    },
  }
}
