/**
 * Second factors of people. A code of the authenticator is valid once: the newest spent step is stored and moves by one
 * conditional update. A person who changes a factor must prove their identity (`own-proof.ts`).
 */

import {
  type BackupCodes,
  CodedError,
  type OwnProof,
  type SecondFactors,
  type TotpOffer,
} from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { Signed } from '../access/signed'
import { entryOf } from '../audit/audit'
import { ShownOnce } from '../common/shown-once'
import type { Doorbells } from '../doorbells/doorbells'
import type { AuditEntry } from '../ports/audit-store'
import type { FactorKeeper } from '../ports/factor-keeper'
import type { TotpRow } from '../ports/factor-store'
import type { Reads, WriteTx } from '../ports/stores'
import { once } from '../writes/once'
import type { WriteAs } from '../writes/write-as'
import { createOwnPasskeys, type OwnPasskeysApi } from './own-passkeys'
import { judgeCode, prove, proveBoth, provePassword, told } from './own-proof'

interface SecondFactorsDeps {
  audit: (entry: AuditEntry) => Promise<void>
  doorbells: Doorbells
  keeper: FactorKeeper
  now: () => number
  reads: Pick<Reads, 'factors' | 'logins' | 'people'>
  writeAs: WriteAs
}

/** Methods throw `AUTH_FAILED` if the password or the code is wrong. */
export interface FactorsApi extends OwnPasskeysApi {
  overview(actor: Actor): Promise<SecondFactors>
  /** Sign-in does not change before the person confirms a code. */
  offerTotp(signed: Signed, email: string, proof: OwnProof): Promise<TotpOffer>
  /** Ends every other login, because none of them has shown a code. */
  confirmTotp(signed: Signed, code: string, idempotencyKey: string): Promise<BackupCodes>
  removeTotp(signed: Signed, proof: OwnProof, idempotencyKey: string): Promise<{ ok: true }>
  renewBackupCodes(signed: Signed, proof: OwnProof, idempotencyKey: string): Promise<BackupCodes>
  /** Called before a step of the login library; spends the code. Returns the id of the password that was shown (`LoginStep`). */
  prove(signed: Signed, proof: OwnProof, action: string): Promise<string>
}

/** How long a repeat of the request may show backup codes again. */
const SHOWN_MS = 10 * 60_000

export function createSecondFactors(deps: SecondFactorsDeps): FactorsApi {
  const { keeper, now, writeAs } = deps
  const shown = new ShownOnce(now)
  return {
    overview: (actor) => overview(deps, actor.userId),
    offerTotp: async (signed, email, proof) => {
      const { userId } = signed.actor
      const { spend } = await provePassword(deps, signed, proof, 'totp.enable')
      const { secret, uri, sealed } = await keeper.newTotp(email)
      const { sealed: backupCodes } = await keeper.newBackupCodes()
      await writeAs(signed.actor, async (tx) => {
        await spend(tx)
        if ((await tx.factors.totp(userId))?.verified)
          throw new CodedError('REV_CHANGED', 'Two-factor authentication is already on.')
        await tx.factors.offerTotp(userId, { secret: sealed, backupCodes })
      })
      return { secret, uri } satisfies TotpOffer
    },
    confirmTotp: async ({ actor, loginId }, code, key) => {
      const spend = await judgeCode(deps, actor, { code })
      const ended: string[] = []
      const codes = await showCodes(deps, shown, { actor, route: 'totp.enable', key }, async (tx, sealed) => {
        const row = await tx.factors.totp(actor.userId)
        if (!row || row.verified) throw new CodedError('REV_CHANGED', 'There is nothing to confirm.')
        await spend(tx)
        await tx.factors.replaceBackupCodes(actor.userId, row.backupCodes, sealed)
        await tx.factors.enableTotp(actor.userId)
        ended.push(...(await tx.logins.endOthers(actor.userId, loginId)))
        await tx.audit.append(entryOf(actor, 'totp.enable', actor.userId), now())
      }).catch(told(deps, actor, 'totp.enable'))
      for (const id of ended) deps.doorbells.ring('loginEnded', { loginId: id })
      return codes
    },
    removeTotp: async (signed, proof, key) => {
      const { actor } = signed
      const { spend } = await proveBoth(deps, signed, proof, 'totp.disable')
      await once(deps, { actor, route: 'totp.disable', key, body: {} }, async (tx) => {
        await requireTotp(tx, actor.userId)
        await spend(tx)
        await tx.factors.removeTotp(actor.userId)
        await tx.audit.append(entryOf(actor, 'totp.disable', actor.userId), now())
        return {}
      }).catch(told(deps, actor, 'totp.disable'))
      return { ok: true }
    },
    renewBackupCodes: async (signed, proof, key) => {
      const { actor } = signed
      const { spend } = await proveBoth(deps, signed, proof, 'backup_codes.renew')
      return showCodes(deps, shown, { actor, route: 'backup_codes.renew', key }, async (tx, sealed) => {
        await requireTotp(tx, actor.userId)
        await spend(tx)
        const { backupCodes } = await requireTotp(tx, actor.userId)
        await tx.factors.replaceBackupCodes(actor.userId, backupCodes, sealed)
        await tx.audit.append(entryOf(actor, 'backup_codes.renew', actor.userId), now())
      }).catch(told(deps, actor, 'backup_codes.renew'))
    },
    prove: async (signed, proof, action) => {
      const { basis, spend } = await prove(deps, signed, proof, action)
      await writeAs(signed.actor, spend).catch(told(deps, signed.actor, action))
      return basis
    },
    ...createOwnPasskeys(deps, (userId) => overview(deps, userId)),
  }
}

async function overview({ reads, keeper }: SecondFactorsDeps, userId: string): Promise<SecondFactors> {
  const row = await reads.factors.totp(userId)
  const totp = row?.verified === true
  const backupCodesLeft = totp ? await keeper.countBackupCodes(row.backupCodes) : 0
  return { totp, backupCodesLeft, passkeys: await reads.factors.passkeys(userId) }
}

async function requireTotp(tx: WriteTx, userId: string): Promise<TotpRow> {
  const row = await tx.factors.totp(userId)
  if (!row?.verified) throw new CodedError('REV_CHANGED', 'Two-factor authentication is not on.')
  return row
}

/** Codes are stored sealed. Only a repeat of the same request gets them in plain text, from memory. */
async function showCodes(
  deps: SecondFactorsDeps,
  shown: ShownOnce,
  call: { actor: Actor; route: string; key: string },
  work: (tx: WriteTx, sealed: string) => Promise<void>,
): Promise<BackupCodes> {
  const made = await deps.keeper.newBackupCodes()
  const kept = await once(deps, { ...call, body: {} }, async (tx) => {
    await work(tx, made.sealed)
    const shownId = `${call.actor.userId} ${call.key}`
    shown.keep(shownId, made.codes.join(' '), deps.now() + SHOWN_MS)
    return { shownId }
  })
  return { backupCodes: shown.require(kept.shownId).split(' ') }
}
