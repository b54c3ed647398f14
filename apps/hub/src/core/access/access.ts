/**
 * Decides who may do what, and on which machines, from one table of roles and one set per person. No other place
 * decides. Pure.
 */
import { Action, type ApiTokenScope, CodedError, type Role } from '@roundhouse/backend-types'

/** The login or token by which a person acts. It is read again at each write (AUTH-1). */
export interface Credential {
  kind: 'login' | 'token'
  id: string
}

/** The person behind a request, from the server-side login alone. */
export interface Actor {
  userId: string
  name: string
  role: Role
  /** The machines that are shared with this person; null: all machines. */
  agents: ReadonlySet<string> | null
  /** If present, a program acts for the person and may do only these things. */
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

/** The machine that the action affects; a session belongs to one. Absent: the action affects no particular machine. */
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

/** No scope includes people, the hub's settings or the audit log, so a stolen token cannot create another token. */
export const actionsOf = (scope: ApiTokenScope): Action[] => scopes[scope]

/** For pages: which actions to offer. */
export const actionsFor = (actor: Actor): Action[] => Action.options.filter((action) => can(actor, action))

/** Owners and admins have all machines; everybody else has the machines that were shared with them. */
export function agentsOf(role: Role, shared: readonly string[]): Actor['agents'] {
  return role === 'owner' || role === 'admin' ? null : new Set(shared)
}

export function reaches(actor: Actor, agentId: string): boolean {
  return actor.agents?.has(agentId) ?? true
}

export function requireCan(actor: Actor, action: Action, object?: AccessObject): void {
  if (!can(actor, action, object)) throw new CodedError('FORBIDDEN', undefined, { action })
}

/** Only an owner creates, changes or removes owners and admins. `roles`: the person's present and new role. */
export function requireManages(actor: Actor, ...roles: Role[]): void {
  requireCan(actor, 'user.manage')
  if (!roles.every((role) => mayManage(actor, role)))
    throw new CodedError('FORBIDDEN', 'Only an owner can manage owners and admins.')
}

/** Applies to people who manage others. */
export function mayManage(actor: Pick<Actor, 'role'>, role: Role): boolean {
  return actor.role === 'owner' || (role !== 'owner' && role !== 'admin')
}
