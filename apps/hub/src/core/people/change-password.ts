/** Changes a person's password. The transaction that writes it checks the old password and the login again. */

import { CodedError } from '@roundhouse/backend-types'
import type { Signed } from '../access/signed'
import { entryOf, refusalOf } from '../audit/audit'
import type { Doorbells } from '../doorbells/doorbells'
import type { AuditEntry } from '../ports/audit-store'
import type { FactorKeeper } from '../ports/factor-keeper'
import type { WriteTx } from '../ports/stores'
import type { WriteAs } from '../writes/write-as'

export interface ChangePasswordDeps {
  audit: (entry: AuditEntry) => Promise<void>
  doorbells: Doorbells
  keeper: FactorKeeper
  now: () => number
  writeAs: WriteAs
}

export interface NewPassword {
  currentPassword: string
  newPassword: string
  /** Ends every other login of the person. */
  revokeOtherSessions?: boolean | undefined
}

/** Throws `AUTH_FAILED`. */
export async function changePassword(deps: ChangePasswordDeps, signed: Signed, wanted: NewPassword): Promise<void> {
  const { keeper, writeAs, audit, doorbells } = deps
  const { userId } = signed.actor
  const before = await keeper.checkPassword(userId, wanted.currentPassword)
  if (before === null) {
    await audit(refusalOf(signed.actor, 'password.change', userId))
    throw new CodedError('AUTH_FAILED', 'The password is wrong.')
  }
  const after = await keeper.hashPassword(wanted.newPassword)
  const ended = await writeAs(signed.actor, (tx) => write(deps, tx, signed, { before, after, ...wanted }))
  for (const loginId of ended) doorbells.ring('loginEnded', { loginId })
  if (wanted.revokeOtherSessions) doorbells.ring('person', { userId }) // for sockets of programs whose token ended
}

async function write(
  { now }: ChangePasswordDeps,
  tx: WriteTx,
  { actor, loginId }: Signed,
  { before, after, revokeOtherSessions }: NewPassword & { before: string; after: string },
): Promise<string[]> {
  if (!(await tx.people.replacePassword(actor.userId, before, after))) {
    throw new CodedError('AUTH_FAILED', 'That password was changed just now.')
  }
  await tx.factors.withdrawTotpOffer(actor.userId) // the old password was shown for it
  const tokensRemoved = revokeOtherSessions ? await tx.apiTokens.deleteAll(actor.userId) : 0
  const lost = tokensRemoved > 0 ? { tokensRemoved } : undefined
  await tx.audit.append(entryOf(actor, 'password.change', actor.userId, lost), now())
  return revokeOtherSessions ? tx.logins.endOthers(actor.userId, loginId) : []
}
