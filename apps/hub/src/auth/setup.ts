/**
 * First run: while no person exists, a one-time code creates the owner. Only its hash is stored. The code is printed at each
 * start until it is used, is valid for a day, and survives 20 wrong attempts. The claim is one conditional update, so two
 * people who send the right code at once create one owner.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { CodedError, type SetupRequest } from '@roundhouse/backend-types'
import type { SetupStore } from '../core'
import type { Auth } from './better-auth'
import { provisioning } from './guarded-adapter'

const LIFE_MS = 24 * 3_600_000
const MAX_ATTEMPTS = 20

export interface Setup {
  /** A new code, or `null` once there is an owner. */
  issueCode(): Promise<string | null>
  required(): Promise<boolean>
  complete(request: SetupRequest): Promise<void>
}

export interface SetupOptions {
  now?: () => number
  /** There is an owner now. */
  onDone?: () => Promise<void>
}

export function createSetup(store: SetupStore, auth: Auth, options: SetupOptions = {}): Setup {
  const { now = Date.now, onDone } = options
  return {
    required: () => store.isEmpty(),
    issueCode: async () => {
      if (!(await store.isEmpty())) return null
      const code = randomBytes(15).toString('base64url')
      await store.keep({ codeHash: hashOf(code), expiresAt: now() + LIFE_MS })
      return code
    },
    complete: async (request) => {
      await claim(store, request.code, now())
      try {
        const { name, email, password } = request
        await provisioning.run(true, () => auth.api.createUser({ body: { name, email, password, role: 'owner' } }))
      } catch (cause) {
        await store.release()
        if (cause instanceof CodedError) throw cause
        throw new CodedError(
          'INVALID_ARGUMENT',
          'The owner account cannot be created with these details.',
          undefined,
          cause,
        )
      }
      await onDone?.()
    },
  }
}

async function claim(store: SetupStore, code: string, now: number): Promise<void> {
  const kept = await store.find()
  const matches = kept !== null && timingSafeEqual(Buffer.from(kept.codeHash), Buffer.from(hashOf(code)))
  if (!matches) {
    await store.countWrong()
    throw new CodedError('SETUP_INVALID')
  }
  if (!(await store.claim(now, MAX_ATTEMPTS))) throw new CodedError('SETUP_INVALID')
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex')
