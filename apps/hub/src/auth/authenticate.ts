/** Turns the cookie or the token of a request or handshake into the person behind it. Identity comes from nowhere else. */
import { createHash } from 'node:crypto'
import { Role } from '@roundhouse/backend-types'
import { type Actor, agentsOf, type FindLogin, type LoginRow } from '../core'
import type { Auth } from './better-auth'

export interface Login {
  actor: Actor
  loginId: string
  email: string
  /** A program with a token of the person, not the person. */
  program?: true
}

/** What a request or handshake shows of itself. */
export interface Shown {
  cookie?: string | undefined
  authorization?: string | undefined
}

export type Authenticate = (shown: Shown) => Promise<Login | null>

/** So many cookies are remembered; beyond that the oldest is checked again when it comes. */
const CHECKED_COOKIES = 1_000

interface AuthenticateDeps {
  auth: Pick<Auth, 'api'>
  findLogin: FindLogin
  byToken: (token: string) => Login | null
  now?: () => number
}

/**
 * Better-auth says once whose cookie it is: a signature does not change. What the login may do is read every time, so that
 * one that was ended, banned or changed counts at the very next request, at a tenth of the cost. Whoever shows a token is
 * judged by it alone: a cookie beside it is not looked at (WEB-1).
 */
export function createAuthenticate({ auth, findLogin, byToken, now = Date.now }: AuthenticateDeps): Authenticate {
  const tokens = new Map<string, string>()
  return async ({ cookie, authorization }) => {
    if (authorization !== undefined) return byToken(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '')
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

function toLogin({ loginId, userId, name, email, role: said, shared }: LoginRow): Login {
  const role = Role.safeParse(said).data ?? 'viewer'
  const agents = agentsOf(role, JSON.parse(shared))
  return { actor: { userId, name, role, agents, credential: { kind: 'login', id: loginId } }, loginId, email }
}
