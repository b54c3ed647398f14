/** Turns the cookie of a request or handshake into the person behind it. Identity comes from nowhere else. */
import { createHash } from 'node:crypto'
import { Role } from '@roundhouse/backend-types'
import type { PrismaClient } from '../../../../prisma/generated/client'
import type { Actor, FindLogin, LoginRow } from '../core'
import type { Auth } from './better-auth'

export interface Login {
  actor: Actor
  loginId: string
  email: string
}

export type Authenticate = (cookie: string | undefined) => Promise<Login | null>

/** So many cookies are remembered; beyond that the oldest is checked again when it comes. */
const CHECKED_COOKIES = 1_000

/**
 * Better-auth says once whose cookie it is: a signature does not change. What the login may do is read every time, so that
 * one that was ended, banned or changed counts at the very next request, at a tenth of the cost.
 */
export function createAuthenticate(auth: Pick<Auth, 'api'>, findLogin: FindLogin, now = Date.now): Authenticate {
  const tokens = new Map<string, string>()
  return async (cookie) => {
    if (!cookie) return null
    const key = createHash('sha256').update(cookie).digest('base64')
    const token = tokens.get(key) ?? (await checkedToken(auth, cookie))
    const login = token === undefined ? undefined : findLogin(token)
    tokens.delete(key)
    if (token === undefined || !login || login.expiresAt <= now()) return null
    tokens.set(key, token)
    if (tokens.size > CHECKED_COOKIES) tokens.delete(tokens.keys().next().value ?? '')
    return login.banned ? null : toLogin(login)
  }
}

async function checkedToken(auth: Pick<Auth, 'api'>, cookie: string): Promise<string | undefined> {
  const found = await auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  return found?.session.token
}

function toLogin({ loginId, userId, name, email, role: said }: LoginRow): Login {
  const role = Role.safeParse(said)
  return { actor: { userId, name, role: role.success ? role.data : 'viewer' }, loginId, email }
}

/** Of these logins, those that have not run out and whose person may still sign in. */
export function createLivingLogins(prisma: PrismaClient) {
  return async (loginIds: string[]): Promise<ReadonlySet<string>> => {
    const where = { id: { in: loginIds }, expiresAt: { gt: new Date() }, NOT: { user: { banned: true } } }
    const rows = await prisma.authSession.findMany({ where, select: { id: true } })
    return new Set(rows.map((row) => row.id))
  }
}
