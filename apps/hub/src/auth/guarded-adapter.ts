/**
 * The database as the login library sees it. What it writes for somebody is written in one transaction with the question
 * whether that somebody still may: between the library's judgement and its write, people are disabled and recovered.
 *
 * - A login is made only for a key that was proven (`acting`), and only while what it rests on stands.
 * - A passkey and a link to the provider are made only for a login that is still alive, and while the password is the one that was shown.
 * - A password is made with its person alone (`provisioning`).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { DBAdapter, DBTransactionAdapter } from '@better-auth/core/db/adapter'
import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { type BrowserKey, basisOf } from '../core'
import { OIDC } from './oidc'

/** For whom the library works just now. */
export type Acting =
  | { as: 'beginner'; key: BrowserKey; by: { passkey: string } | 'provider' }
  /** `basis`: of the password that was shown when this began. */
  | { as: 'person'; userId: string; loginId: string; name: string; basis?: string | undefined }

export const acting = new AsyncLocalStorage<Acting>()

export const provisioning = new AsyncLocalStorage<true>()

type Row = Record<string, unknown>
type Reads = Pick<DBTransactionAdapter, 'findOne'>
type Judge = (reads: Reads, data: Row) => Promise<Row>

export type MakeAdapter = (options: BetterAuthOptions) => DBAdapter<BetterAuthOptions>

export const guardedAdapter =
  (make: MakeAdapter): MakeAdapter =>
  (options) => {
    const adapter = make(options)
    return {
      ...adapter,
      create: (async (args: { model: string; data: Row }) => {
        if (!judges[args.model]) return adapter.create(args)
        return adapter.transaction((inside) => guarded(inside).create(args))
      }) as DBAdapter['create'],
      transaction: (work) => adapter.transaction((inside) => work(guarded(inside))),
    }
  }

function guarded(inside: DBTransactionAdapter): DBTransactionAdapter {
  const create = async (args: { model: string; data: Row }) => {
    const judge = judges[args.model]
    return inside.create(judge ? { ...args, data: await judge(inside, args.data) } : args)
  }
  return { ...inside, create: create as DBTransactionAdapter['create'] }
}

const judges: Readonly<Record<string, Judge>> = {
  session: async (reads, data) => {
    const who = acting.getStore()
    const userId = String(data.userId)
    if (who?.as !== 'beginner') throw refused('No key was proven.')
    await requireNotBanned(reads, userId)
    const rest =
      who.by === 'provider'
        ? await find(reads, 'account', { userId, providerId: OIDC })
        : await find(reads, 'passkey', { userId, credentialID: who.by.passkey })
    if (!rest) throw refused('What this sign-in rests on was taken away.')
    return { ...data, ...who.key, token: randomBytes(32).toString('hex') }
  },
  passkey: async (reads, data) => {
    await requireLogin(reads, String(data.userId))
    return data
  },
  account: async (reads, data) => {
    if (data.providerId === OIDC) await requireLogin(reads, String(data.userId))
    else if (!provisioning.getStore()) throw refused('Accounts are closed.')
    return data
  },
}

async function requireLogin(reads: Reads, userId: string): Promise<void> {
  const who = acting.getStore()
  if (who?.as !== 'person' || who.userId !== userId) throw refused('Sign in first.')
  const login = await find<{ expiresAt: Date }>(reads, 'session', { id: who.loginId, userId })
  if (!login || login.expiresAt <= new Date()) throw refused('That login has ended.')
  const credential = await find<{ password?: string | null }>(reads, 'account', { userId, providerId: 'credential' })
  if (basisOf(credential?.password ?? null) !== who.basis) throw refused('The password was changed. Begin anew.')
  await requireNotBanned(reads, userId)
}

async function requireNotBanned(reads: Reads, id: string): Promise<void> {
  const user = await find<{ banned?: boolean | null }>(reads, 'user', { id })
  if (!user || user.banned)
    throw new APIError('FORBIDDEN', { code: 'BANNED_USER', message: 'The account is disabled.' })
}

function find<T extends object>(reads: Reads, model: string, where: Record<string, string>): Promise<T | null> {
  return reads.findOne<T>({ model, where: Object.entries(where).map(([field, value]) => ({ field, value })) })
}

const refused = (message: string) => new APIError('FORBIDDEN', { message })
