/** Who may do what, and on which machines: one table of roles and one set per person, no other place decides. Pure. */
import { Action, type ApiTokenScope, CodedError, type Role } from '@roundhouse/backend-types'

/** By what somebody acts: it is read again at each write (AUTH-1). */
export interface Credential {
  kind: 'login' | 'token'
  id: string
}

/** The person behind a request, from the server-side login alone. */
export interface Actor {
  userId: string
  name: string
  role: Role
  /** The machines that were shared with this person; null: all of them. */
  agents: ReadonlySet<string> | null
  /** A program that acts for the person may do these things and no others. */
  only?: ReadonlySet<Action>
  credential: Credential
  /** Where the request came from, for the audit log. */
  address?: string
}

const reads: Action[] = ['session.read', 'agent.read']
const decides: Action[] = [...reads, 'permission.decide']
const operates: Action[] = [...decides, 'session.create', 'session.prompt', 'session.control', 'session.organise']
const manages: Action[] = [
  ...operates,
  'session.delete',
  'agent.manage',
  'token.manage',
  'user.manage',
  'hub.manage',
  'audit.read',
]

const table: Readonly<Record<Role, ReadonlySet<Action>>> = {
  owner: new Set(manages),
  admin: new Set(manages),
  operator: new Set([...operates, 'session.delete']),
  approver: new Set(decides),
  viewer: new Set(reads),
}

/** The machine that the action is done on: a session belongs to one. Absent: the action is about no machine alone. */
export interface AccessObject {
  agentId: string
}

export function can(actor: Actor, action: Action, object?: AccessObject): boolean {
  const may = table[actor.role].has(action) && (actor.only?.has(action) ?? true)
  return may && (object === undefined || reaches(actor, object.agentId))
}

const scopes: Readonly<Record<ApiTokenScope, Action[]>> = {
  read: reads,
  decide: ['permission.decide'],
  operate: ['session.create', 'session.prompt', 'session.control', 'session.organise'],
  manage: ['session.delete', 'agent.manage', 'token.manage'],
}

/** People, the hub's settings and the audit log are in no scope: a stolen token makes no second one. */
export const actionsOf = (scope: ApiTokenScope): Action[] => scopes[scope]

/** For pages: what to offer. */
export const actionsFor = (actor: Actor): Action[] => Action.options.filter((action) => can(actor, action))

/** Who runs the hub has all its machines; everybody else has those that were shared with them. */
export function agentsOf(role: Role, shared: readonly string[]): Actor['agents'] {
  return role === 'owner' || role === 'admin' ? null : new Set(shared)
}

export function reaches(actor: Actor, agentId: string): boolean {
  return actor.agents?.has(agentId) ?? true
}

export function requireCan(actor: Actor, action: Action, object?: AccessObject): void {
  if (!can(actor, action, object)) throw new CodedError('FORBIDDEN', undefined, { action })
}

/** Only an owner makes, changes or removes owners and admins. `roles`: what the person is, and what they would become. */
export function requireManages(actor: Actor, ...roles: Role[]): void {
  requireCan(actor, 'user.manage')
  if (!roles.every((role) => mayManage(actor, role)))
    throw new CodedError('FORBIDDEN', 'Only an owner can manage owners and admins.')
}

/** Of those who manage people at all. */
export function mayManage(actor: Pick<Actor, 'role'>, role: Role): boolean {
  return actor.role === 'owner' || (role !== 'owner' && role !== 'admin')
}
