/**
 * That it is the person who asks: the password, or a young login where there is none, and a code where codes are on. What takes time
 * is judged ahead of the transaction (STORE-1); the code is spent inside it, by one conditional update.
 */
import { CodedError, type OwnProof } from '@roundhouse/backend-types'
import type { Actor } from './access'
import { entryOf, refusalOf } from './audit'
import type { Context } from './context'
import type { Signed } from './facade'
import type { WriteTx } from './ports'
import { requireStill } from './standing'

/** So long a login of somebody without a password is proof enough. */
const FRESH_MS = 15 * 60_000

/** Inside the transaction that uses the code. Throws `AUTH_FAILED`. */
export type Spend = (tx: WriteTx) => Promise<void>

const wrongCode = () => new CodedError('AUTH_FAILED', 'That code is not right, or was used before.')

/** The password is judged now; what it resolves to spends the code, and is nothing where codes are off. Throws `AUTH_FAILED`. */
export async function prove(context: Context, signed: Signed, proof: OwnProof, action: string): Promise<Spend> {
  await provePassword(context, signed, proof, action)
  return context.people.totpOf(signed.actor.userId)?.verified ? judgeCode(context, signed.actor, proof) : async () => {}
}

export async function provePassword(context: Context, signed: Signed, { password }: OwnProof, action: string) {
  const { actor, loginId } = signed
  const verdict = await context.keeper.judgePassword(actor.userId, password)
  if (verdict === 'right' || (verdict === 'none' && isFresh(context, actor, loginId))) return
  requireStill(actor, context.people.standing(actor.credential), context.now()) // whoever is gone has no password either
  await context.audit(refusalOf(actor, action, actor.userId, { why: 'wrong password' }))
  const words =
    verdict === 'none' ? 'Sign in again, then do this within 15 minutes.' : 'That is not the password you have.'
  throw new CodedError('AUTH_FAILED', words)
}

function isFresh({ people, now }: Context, { userId }: Actor, loginId: string): boolean {
  const login = people.loginsOf(userId, now()).find((own) => own.loginId === loginId)
  return login !== undefined && login.createdAt > now() - FRESH_MS
}

/** Six digits are of the authenticator, everything else is a backup code. */
export function judgeCode(context: Context, actor: Actor, { code }: Pick<OwnProof, 'code'>): Promise<Spend> {
  if (code === undefined) {
    return Promise.resolve(() => Promise.reject(new CodedError('AUTH_FAILED', 'A code is needed as well.')))
  }
  return /^\d{6}$/.test(code) ? judgeTotp(context, actor, code) : judgeBackupCode(context, actor, code)
}

async function judgeTotp({ keeper, people, now }: Context, { userId }: Actor, code: string): Promise<Spend> {
  const row = people.totpOf(userId)
  const step = row ? await keeper.stepOf(row.secret, code, now()) : null
  return async (tx) => {
    if (!row || step === null || !(await tx.spendStep(userId, row.secret, step))) throw wrongCode()
  }
}

async function judgeBackupCode({ keeper, people, now }: Context, actor: Actor, code: string): Promise<Spend> {
  const row = people.totpOf(actor.userId)
  const left = row ? await keeper.withoutBackupCode(row.backupCodes, code) : null
  return async (tx) => {
    const isSpent = row && left !== null && (await tx.replaceBackupCodes(actor.userId, row.backupCodes, left))
    if (!isSpent) throw wrongCode()
    await tx.audit(entryOf(actor, 'backup_code.use', actor.userId), now())
  }
}

/** A code that was refused is worth a row; it must outlive the transaction that it ended. */
export function told(context: Context, actor: Actor, action: string) {
  return async (refusal: unknown): Promise<never> => {
    const isCode = refusal instanceof CodedError && refusal.code === 'AUTH_FAILED'
    if (isCode) await context.audit(refusalOf(actor, action, actor.userId, { why: 'wrong code' }))
    throw refusal
  }
}
