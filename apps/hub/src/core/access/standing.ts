/**
 * Rights hold until the write (AUTH-1). Somebody is judged when a request comes, by its headers; until the transaction begins there is
 * time: a body is read, a password is hashed, a machine answers. Here is judged whether what they had then is theirs still. Pure.
 */
import { type ApiTokenScope, CodedError, type ErrorCode, Role } from '@roundhouse/backend-types'
import { type Actor, actionsOf, agentsOf, type Credential } from './access'

/** What a credential is good for, with the person behind it, as one statement reads it. */
export interface Standing {
  userId: string
  role: Role
  banned: boolean
  /** Ids of the machines shared with them. */
  shared: readonly string[]
  /** Null: a person, who may all that the role may. */
  scopes: readonly ApiTokenScope[] | null
  /** Of the login or token; null: it is about the person alone. */
  expiresAt: number | null
}

/** Somebody who acts by a login or a token, or the person by themselves. */
export type StandingOf = Credential | { kind: 'person'; id: string }

type Rights = Pick<Actor, 'userId' | 'role' | 'agents' | 'only'>

/** Null: the credential or the person is gone, or may not come in. */
export function rightsOf(standing: Standing | null | undefined, now: number): Rights | null {
  if (!standing || standing.banned || (standing.expiresAt !== null && standing.expiresAt <= now)) return null
  const { userId, role, shared, scopes } = standing
  const agents = agentsOf(role, shared)
  if (scopes === null) return { userId, role, agents }
  return { userId, role, agents, only: new Set(scopes.flatMap(actionsOf)) }
}

/** Throws unless the actor has at least what they were judged by: then that judgement is still true. */
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

/** As it was, no less and no more: an open socket knows what it was opened with. */
export function isSameStanding(actor: Actor, standing: Standing | null | undefined, now: number): boolean {
  const rights = rightsOf(standing, now)
  if (rights?.userId !== actor.userId || rights.role !== actor.role) return false
  const same = (a: Only, b: Only) => covers(a, b) && covers(b, a)
  return same(rights.agents, actor.agents) && same(rights.only, actor.only)
}

/** The highest is 0. */
const rankOf = ({ role }: Rights) => Role.options.indexOf(role)

type Only = ReadonlySet<string> | null | undefined

/** No set stands for everything. */
function covers(now: Only, before: Only): boolean {
  if (!now) return true
  return before ? [...before].every((one) => now.has(one)) : false
}
