/**
 * Turns a browser's key into a login. Slow checks (the password's hash, a code) run before the transaction, and the
 * transaction that creates the login reads their inputs again. So no login results if the password was changed, the
 * person disabled or the account recovered meanwhile.
 */

import { CodedError } from '@roundhouse/backend-types'
import type { Signed } from '../access/signed'
import { entryOf } from '../audit/audit'
import { sha256 } from '../common/digests'
import { newId, newSecret } from '../common/random'
import type { BrowserKey, KnownKey, LoginStep, SignInBasis } from '../ports/login-store'
import type { Reads, Transactions, WriteTx } from '../ports/stores'
import { type ChangePasswordDeps, changePassword, type NewPassword } from './change-password'
import type { AtTheDoor } from './login-audit'
import { basisOf } from './own-proof'
import { judgeSecondCode } from './second-code'

interface SignInDeps extends ChangePasswordDeps {
  reads: Pick<Reads, 'factors' | 'logins' | 'people'>
  transactions: Transactions
}

/** A browser that signs in, with its own key for the new login. */
export interface Arrival {
  key: BrowserKey
  /** The login that this browser still has; it ends (T75). */
  former: Signed | null
  address: string
  device: string
  userAgent: string
  by?: AtTheDoor['by']
}

export interface SignInApi {
  byPassword(
    arrival: Arrival,
    credentials: { email: string; password: string },
  ): Promise<'in' | 'codeNeeded' | 'wrong' | 'disabled'>
  /** The person whose password was right with this key and who still has to show a code. */
  owing(keyId: string): Promise<{ userId: string; email: string } | null>
  byCode(arrival: Arrival, code: string): Promise<'in' | { why: 'gone' | 'locked' | 'wrong code' | 'used code' }>
  /** The person of this key's login, if any. */
  personOf(keyId: string): Promise<string | null>
  /** Called when the login library has created the login. */
  settle(arrival: Arrival, userId: string): Promise<void>
  /** Stores what a key started with the login library. */
  keepStep(keyId: string, step: LoginStep): Promise<void>
  /** Takes the step, once. */
  takeStep<K extends LoginStep['kind']>(keyId: string, kind: K): Promise<Extract<LoginStep, { kind: K }> | null>
  knownKey(keyId: string): Promise<KnownKey | undefined>
  /** Throws `AUTH_FAILED`. */
  changePassword(signed: Signed, wanted: NewPassword): Promise<void>
  /** Signs out. The key stays known, so its wrong passwords are still counted separately. */
  out(signed: Signed): Promise<void>
}

const LOGIN_MS = 7 * 24 * 3_600_000
const STEP_MS = 10 * 60_000
const CODES_LOCKED_MS = 15 * 60_000

type Owing = Extract<LoginStep, { kind: 'code' }>

export function createSignIn(deps: SignInDeps): SignInApi {
  const { reads, keeper, now, transactions } = deps
  const owing = async (keyId: string): Promise<Owing | null> => {
    const step = await reads.logins.step(keyId, now())
    return step?.kind === 'code' ? step : null
  }
  return {
    owing: async (keyId) => {
      const step = await owing(keyId)
      return step && { userId: step.userId, email: (await reads.people.find(step.userId))?.email ?? '' }
    },
    byPassword: async (arrival, { email, password }) => {
      const person = await reads.people.findByEmail(email)
      const hash = await keeper.checkPassword(person?.userId ?? null, password)
      if (!person || hash === null) return 'wrong'
      const { userId } = person
      const outcome = await transactions.write(async (tx) => {
        const found = await tx.logins.basis(userId)
        if (!found || found.passwordHash !== hash) return 'wrong'
        if (found.banned) return 'disabled'
        if (!found.codes) return begin(deps, tx, arrival, { userId, name: found.name })
        await endFormer(deps, tx, arrival)
        const step = { kind: 'code', userId, basis: basisOf(hash) } as const
        await tx.logins.keepStep(arrival.key.keyId, step, now() + STEP_MS, now())
        return 'codeNeeded'
      })
      if (outcome === 'in' || outcome === 'codeNeeded') ringFormer(deps, arrival)
      return outcome
    },
    byCode: async (arrival, code) => {
      const step = await owing(arrival.key.keyId)
      if (!step) return { why: 'gone' }
      const { by, spend } = await judgeSecondCode(deps, step.userId, code)
      const outcome = await transactions.write(async (tx) => {
        const found = await tx.logins.basis(step.userId)
        if (!stillOwes(found, step)) return { why: 'gone' } as const
        if (((await tx.factors.codesLockedUntil(step.userId)) ?? 0) > now()) return { why: 'locked' } as const
        const verdict = await spend(tx)
        if (verdict !== 'fresh') {
          await tx.factors.countWrongCode(step.userId, now() + CODES_LOCKED_MS)
          return { why: `${verdict} code` } as const
        }
        if (!(await tx.logins.dropStep(arrival.key.keyId, step))) throw new CodedError('AUTH_REQUIRED', 'Start again.')
        await tx.factors.forgetWrongCodes(step.userId)
        return begin(deps, tx, { ...arrival, by }, { userId: step.userId, name: found.name })
      })
      if (outcome === 'in') ringFormer(deps, arrival)
      return outcome
    },
    personOf: (keyId) => reads.logins.personOfKey(keyId),
    settle: async (arrival, userId) => {
      const { name = '' } = (await reads.people.find(userId)) ?? {}
      await transactions.write(async (tx) => {
        // The library created it in its own transaction, and somebody may have ended it since.
        if (!(await tx.logins.has(arrival.key.keyId))) throw new CodedError('AUTH_REQUIRED', 'Start again.')
        await settle(deps, tx, arrival, { userId, name })
      })
      ringFormer(deps, arrival)
    },
    knownKey: (keyId) => reads.logins.knownKey(keyId),
    keepStep: (keyId, step) => transactions.write((tx) => tx.logins.keepStep(keyId, step, now() + STEP_MS, now())),
    takeStep: async <K extends LoginStep['kind']>(keyId: string, kind: K) => {
      const step = await reads.logins.step(keyId, now())
      if (!isOf(step, kind)) return null
      return (await transactions.write((tx) => tx.logins.dropStep(keyId, step))) ? step : null
    },
    changePassword: (signed, wanted) => changePassword(deps, signed, wanted),
    out: async ({ actor, loginId }) => {
      await transactions.write(async (tx) => {
        if (!(await tx.logins.end(actor.userId, loginId, { keepKey: true }))) return
        await tx.audit.append(entryOf(actor, 'login.end', loginId), now())
      })
      deps.doorbells.ring('loginEnded', { loginId })
    },
  }
}

function stillOwes(found: SignInBasis | null, step: Owing): found is SignInBasis {
  return found !== null && !found.banned && found.codes && basisOf(found.passwordHash) === step.basis
}

async function begin(deps: SignInDeps, tx: WriteTx, arrival: Arrival, who: { userId: string; name: string }) {
  const createdAt = deps.now()
  const { key, address, userAgent } = arrival
  const made = { loginId: newId('lgn'), tokenHash: sha256(newSecret(32)), createdAt, expiresAt: createdAt + LOGIN_MS }
  if (!(await tx.logins.insert({ ...made, ...key, userId: who.userId, address, userAgent }))) {
    throw new CodedError('AUTH_FAILED', 'That key already has a login. Start again.')
  }
  await settle(deps, tx, arrival, who)
  return 'in' as const
}

/** Completes the login: ends the browser's former one (T75), remembers the key, and records who signed in. */
async function settle(deps: SignInDeps, tx: WriteTx, arrival: Arrival, who: { userId: string; name: string }) {
  const { key, address, device, by } = arrival
  const doer = { ...who, address }
  await endFormer(deps, tx, arrival)
  await tx.logins.rememberKey({ ...key, userId: who.userId }, deps.now())
  if (by === 'backup code') await tx.audit.append(entryOf(doer, 'backup_code.use', who.userId), deps.now())
  await tx.audit.append(entryOf(doer, 'login.begin', who.userId, { device, ...(by ? { by } : {}) }), deps.now())
}

async function endFormer({ now }: SignInDeps, tx: WriteTx, { former }: Arrival): Promise<void> {
  if (!former || !(await tx.logins.end(former.actor.userId, former.loginId))) return
  await tx.audit.append(entryOf(former.actor, 'login.end', former.loginId), now())
}

function ringFormer({ doorbells }: SignInDeps, { former }: Arrival): void {
  if (former) doorbells.ring('loginEnded', { loginId: former.loginId })
}

function isOf<K extends LoginStep['kind']>(step: LoginStep | null, kind: K): step is Extract<LoginStep, { kind: K }> {
  return step?.kind === kind
}
