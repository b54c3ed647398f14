/**
 * Finds the person behind the proof or the token of a request or handshake. Identity has no other source: cookies do not
 * count (WEB-1). If a request has a token, only the token counts.
 */
import { type ProvenRequest, Role } from '@roundhouse/backend-types'
import { type Actor, agentsOf, type FindLogin, type KnownKey, type LoginRow } from '../core'
import type { Proofs } from './proofs'

export interface Login {
  actor: Actor
  loginId: string
  email: string
  /** A program with a token of the person, not the person. */
  program?: true
}

/** What a request or handshake shows of itself. */
export interface Shown extends ProvenRequest {
  proof?: string | undefined
  authorization?: string | undefined
}

/** Null for nobody. Throws `PROOF_STALE` where the browser shall sign once more. */
export type Authenticate = (shown: Shown) => Promise<Login | null>

interface AuthenticateDeps {
  proofs: Proofs
  findLogin: FindLogin
  byToken: (token: string) => Promise<Login | null>
  now?: () => number
}

/** The key finds the login. What that may do is read every time: one that was ended or changed counts at the very next request. */
export function createAuthenticate({ proofs, findLogin, byToken, now = Date.now }: AuthenticateDeps): Authenticate {
  return async ({ proof, authorization, ...request }) => {
    if (authorization !== undefined) return byToken(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '')
    let found: LoginRow | undefined
    const proven = await proofs.judgeLogin(proof, request, async (keyId) => {
      found = living(await findLogin(keyId), now())
      return found
    })
    return proven && found ? toLogin(found) : null
  }
}

/** For a browser that starts a sign-in: its current login, and the person that its key signed in before. */
export interface Recognised {
  login: Login | null
  known: KnownKey | null
}

export type Recognise = (shown: Shown) => Promise<Recognised>

interface RecogniseDeps extends Pick<AuthenticateDeps, 'proofs' | 'findLogin' | 'now'> {
  knownKey: (keyId: string) => Promise<KnownKey | undefined>
}

/** Throws `PROOF_STALE`. */
export function createRecognise({ proofs, findLogin, knownKey, now = Date.now }: RecogniseDeps): Recognise {
  return async ({ proof, method, path }) => {
    const find = async (keyId: string) => (await knownKey(keyId)) ?? findLogin(keyId)
    const proven = await proofs.judgeLogin(proof, { method, path }, find)
    if (!proven) return { login: null, known: null }
    const row = living(await findLogin(proven.keyId), now())
    return { login: row ? toLogin(row) : null, known: (await knownKey(proven.keyId)) ?? null }
  }
}

const living = (login: LoginRow | undefined, now: number) =>
  login && login.expiresAt > now && !login.banned ? login : undefined

function toLogin({ loginId, userId, name, email, role: said, shared }: LoginRow): Login {
  const role = Role.safeParse(said).data ?? 'viewer'
  const agents = agentsOf(role, shared)
  return { actor: { userId, name, role, agents, credential: { kind: 'login', id: loginId } }, loginId, email }
}
