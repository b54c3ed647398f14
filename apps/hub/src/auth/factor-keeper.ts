/** Writes codes and passwords in the formats of the login library, so that its own sign-in can read them. */
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createOTP } from '@better-auth/utils/otp'
import { CodedError } from '@roundhouse/backend-types'
import { APIError } from 'better-auth/api'
import { generateRandomString } from 'better-auth/crypto'
import type { FactorKeeper } from '../core'
import { type Auth, appName } from './better-auth'
import { createSecretKeeper } from './secret-keeper'

const STEP_MS = 30_000
/** One step before and after, because phone clocks differ. */
const NEIGHBOURS = [-1, 0, 1]
const BACKUP_CODES = 10

export function createFactorKeeper(auth: () => Auth): FactorKeeper {
  const { seal, open } = createSecretKeeper(auth)
  const codesOf = async (sealed: string) => JSON.parse(await open(sealed)) as string[]
  let nobodys: Promise<string> | undefined
  return {
    async checkPassword(userId, password) {
      const { internalAdapter, password: judge } = await auth().$context
      const own = userId === null ? null : (await internalAdapter.findCredentialAccount(userId))?.password
      nobodys ??= judge.hash(randomUUID())
      const hash = own ?? (await nobodys)
      return (await inTurn(() => judge.verify({ hash, password }))) && own ? own : null
    },
    async hashPassword(password) {
      const { password: keeper } = await auth().$context
      return inTurn(() => keeper.hash(password))
    },
    async judgePassword(userId, password) {
      const { internalAdapter, password: judge } = await auth().$context
      const hash = (await internalAdapter.findCredentialAccount(userId))?.password
      if (!hash) return { verdict: 'none', hash: null }
      return { verdict: (await judge.verify({ hash, password })) ? 'right' : 'wrong', hash }
    },
    async newTotp(email) {
      const raw = generateRandomString(32)
      const uri = createOTP(raw).url(appName, email)
      return { uri, secret: new URL(uri).searchParams.get('secret') ?? '', sealed: await seal(raw) }
    },
    async newBackupCodes() {
      const codes = Array.from({ length: BACKUP_CODES }, newBackupCode)
      return { codes, sealed: await seal(JSON.stringify(codes)) }
    },
    countBackupCodes: async (sealed) => (await codesOf(sealed)).length,
    async stepOf(sealedSecret, code, now) {
      const otp = createOTP(await open(sealedSecret))
      const current = Math.floor(now / STEP_MS)
      let found: number | null = null
      for (const neighbour of NEIGHBOURS) {
        if (isSame(await otp.hotp(current + neighbour), code)) found = current + neighbour
      }
      return found
    },
    async withoutBackupCode(sealed, code) {
      const codes = await codesOf(sealed)
      const left = codes.filter((one) => !isSame(one, asKept(code)))
      return left.length < codes.length ? seal(JSON.stringify(left)) : null
    },
  }
}

/** Too many at once are refused (`hash-turns.ts`). */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isCrowd = cause instanceof APIError && cause.status === 'TOO_MANY_REQUESTS'
    throw isCrowd ? new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds: 1 }, cause) : cause
  }
}

function newBackupCode(): string {
  return asKept(generateRandomString(10, 'a-z', '0-9', 'A-Z'))
}

/** A dash in the middle, whether or not it was typed. */
const asKept = (code: string) => `${code.slice(0, 5)}-${code.slice(-5)}`

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
