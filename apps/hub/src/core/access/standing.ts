/**
 * Ensures that rights still hold at the write (AUTH-1). A request is judged when its headers arrive. Time passes until
 * its transaction begins: the hub reads a body, hashes a password, or waits for a machine. This checks whether the
 * rights are unchanged then. Pure.
 */
import { type ApiTokenScope, CodedError, type ErrorCode, Role } from '@roundhouse/backend-types'
import { type Actor, actionsOf, agentsOf, type Credential } from './access'

/** The rights of a credential and the person behind it, read in one statement. */
export interface Standing {
  userId: string
  role: Role
  banned: boolean
  /** Ids of the machines that are shared with the person. */
  shared: readonly string[]
  /** Null: a person, who may do everything that the role allows. */
  scopes: readonly ApiTokenScope[] | null
  /** When the login or token expires; null if this is about the person alone. */
  expiresAt: number | null
}

/** Read in the transaction of the write. Throws where the rights are gone (AUTH-1). */
export interface RightsGuard {
  credential: Credential
  require: (standing: Standing | null | undefined) => void
}

/** A caller with a login or a token, or a person without either. */
export type StandingOf = Credential

type Rights = Pick<Actor, 'userId' | 'role' | 'agents' | 'only'>

/** Null: the credential or the person is gone, or may not sign in. */
export function rightsOf(standing: Standing | null | undefined, now: number): Rights | null {
  if (!standing || standing.banned || (standing.expiresAt !== null && standing.expiresAt <= now)) return null
  const { userId, role, shared, scopes } = standing
  const agents = agentsOf(role, shared)
  if (scopes === null) return { userId, role, agents }
  return { userId, role, agents, only: new Set(scopes.flatMap(actionsOf)) }
}

/** Throws unless the actor still has at least the rights by which the request was judged. */
export function requireStill(actor: Actor, standing: Standing | null | undefined, now: number): void {
  const refusal = refusalNow(actor, rightsOf(standing, now))
  if (refusal === 'AUTH_REQUIRED') throw new CodedError(refusal)
  if (refusal) throw new CodedError(refusal, 'Your rights changed before this was done. Nothing was changed.')
}

function refusalNow(actor: Actor, rights: Rights | null): ErrorCode | null {
  if (!rights || rights.userId !== actor.userId) return 'AUTH_REQUIRED'
  const holds =
    rankOf(rights) <= rankOf(actor) && covers(rights.agents, actor.agents) && covers(rights.only, actor.only)
  return holds ? null : 'FORBIDDEN'
}

/** True if the rights are exactly as before: an open socket was opened with them. */
export function isSameStanding(actor: Actor, standing: Standing | null | undefined, now: number): boolean {
  const rights = rightsOf(standing, now)
  if (rights?.userId !== actor.userId || rights.role !== actor.role) return false
  const same = (a: Only, b: Only) => covers(a, b) && covers(b, a)
  return same(rights.agents, actor.agents) && same(rights.only, actor.only)
}

/** The highest rank is 0. */
const rankOf = ({ role }: Rights) => Role.options.indexOf(role)

type Only = ReadonlySet<string> | null | undefined

/** Without a set, all actions are allowed. */
function covers(now: Only, before: Only): boolean {
  if (!now) return true
  return before ? [...before].every((one) => now.has(one)) : false
}
