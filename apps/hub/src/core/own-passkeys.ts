/** Names of passkeys, and their end. They begin at the login library, which asks the browser. */
import { CodedError, type SecondFactors } from '@roundhouse/backend-types'
import { entryOf } from './audit'
import type { Context } from './context'
import type { FactorsApi } from './facade'
import { once } from './once'
import { prove, told } from './own-proof'

type OwnPasskeys = Pick<FactorsApi, 'renamePasskey' | 'removePasskey'>

const noPasskey = () => new CodedError('NOT_FOUND', 'Passkey not found.')

export function createOwnPasskeys(context: Context, overview: (userId: string) => Promise<SecondFactors>): OwnPasskeys {
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
