/**
 * First run: while no person exists, a one-time code creates the owner. Only its hash is stored. The code is printed at each
 * start until it is used, is valid for a day, and survives 20 wrong attempts. The claim is one conditional update, so two
 * people who send the right code at once create one owner.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { CodedError, type SetupRequest } from '@roundhouse/backend-types'
import type { PrismaClient } from '../../../../prisma/generated/client'
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

export function createSetup(prisma: PrismaClient, auth: Auth, options: SetupOptions = {}): Setup {
  const { now = Date.now, onDone } = options
  const required = async () => (await prisma.user.count()) === 0
  return {
    required,
    issueCode: async () => {
      if (!(await required())) return null
      const code = randomBytes(15).toString('base64url')
      const row = { codeHash: hashOf(code), expiresAt: new Date(now() + LIFE_MS), attempts: 0, usedAt: null }
      await prisma.setup.upsert({ where: { id: 1 }, create: { id: 1, ...row }, update: row })
      return code
    },
    complete: async (request) => {
      await claim(prisma, request.code, now())
      try {
        const { name, email, password } = request
        await provisioning.run(true, () => auth.api.createUser({ body: { name, email, password, role: 'owner' } }))
      } catch (cause) {
        await prisma.setup.update({ where: { id: 1 }, data: { usedAt: null } })
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

async function claim(prisma: PrismaClient, code: string, now: number): Promise<void> {
  const row = await prisma.setup.findUnique({ where: { id: 1 } })
  const matches = row !== null && timingSafeEqual(Buffer.from(row.codeHash), Buffer.from(hashOf(code)))
  if (!matches) {
    await prisma.setup.updateMany({ where: { id: 1 }, data: { attempts: { increment: 1 } } })
    throw new CodedError('SETUP_INVALID')
  }
  const open = { id: 1, usedAt: null, attempts: { lt: MAX_ATTEMPTS }, expiresAt: { gt: new Date(now) } }
  const claimed = await prisma.setup.updateMany({ where: open, data: { usedAt: new Date(now) } })
  if (claimed.count !== 1) throw new CodedError('SETUP_INVALID')
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex')
