/**
 * Decides who may do what, and on which machines, from one table of roles and one set per person. No other place
 * decides. Pure.
 */
import { Action, type ApiTokenScope, CodedError, type PeerRole, type Role } from '@roundhouse/backend-types'

/** The login or token by which a person acts, or the person alone, for what they let a session do. It is read again at each write (AUTH-1). */
export interface Credential {
  kind: 'login' | 'token' | 'person'
  id: string
}

/** Rights on the bus. Pages offer none of them, so they are no `Action` of the wire. */
export type BusRight = 'bus.work' | 'bus.orchestrate'
export type Right = Action | BusRight

/** The person behind a request, from the server-side login alone. */
export interface Actor {
  userId: string
  name: string
  role: Role
  /** The machines that are shared with this person; null: all machines. */
  agents: ReadonlySet<string> | null
  /** If present, a program acts for the person and may do only these things. */
  only?: ReadonlySet<Right>
  credential: Credential
  /** Where the request came from, for the audit log. */
  address?: string
}

const speaks: BusRight[] = ['bus.work', 'bus.orchestrate']
const reads: Action[] = ['session.read', 'agent.read']
const decides: Action[] = [...reads, 'permission.decide']
const operates: Right[] = [
  ...decides,
  ...speaks,
  'session.create',
  'session.prompt',
  'session.control',
  'session.organise',
]
const manages: Right[] = [
  ...operates,
  'session.delete',
  'agent.manage',
  'token.manage',
  'user.manage',
  'hub.manage',
  'audit.read',
]

const table: Readonly<Record<Role, ReadonlySet<Right>>> = {
  owner: new Set(manages),
  admin: new Set(manages),
  operator: new Set([...operates, 'session.delete']),
  approver: new Set<Right>(decides),
  viewer: new Set<Right>(reads),
}

/** The machine that the action affects; a session belongs to one. Absent: the action affects no particular machine. */
export interface AccessObject {
  agentId: string
}

export function can(actor: Pick<Actor, 'role' | 'agents' | 'only'>, action: Right, object?: AccessObject): boolean {
  const may = table[actor.role].has(action) && (actor.only?.has(action) ?? true)
  return may && (object === undefined || reaches(actor, object.agentId))
}

const scopes: Readonly<Record<ApiTokenScope, Right[]>> = {
  read: reads,
  decide: ['permission.decide'],
  operate: ['session.create', 'session.prompt', 'session.control', 'session.organise'],
  manage: ['session.delete', 'agent.manage', 'token.manage'],
  worker: ['bus.work'],
  // What it says to a session is a command of that session.
  orchestrator: [...speaks, 'session.prompt', 'session.control'],
}

/** No scope includes people, the hub's settings or the audit log, so a stolen token cannot create another token. */
export const actionsOf = (scope: ApiTokenScope): Right[] => scopes[scope]

/** For pages: which actions to offer. */
export const actionsFor = (actor: Actor): Action[] => Action.options.filter((action) => can(actor, action))

/** Owners and admins have all machines; everybody else has the machines that were shared with them. */
export function agentsOf(role: Role, shared: readonly string[]): Actor['agents'] {
  return role === 'owner' || role === 'admin' ? null : new Set(shared)
}

export function reaches(actor: Pick<Actor, 'agents'>, agentId: string): boolean {
  return actor.agents?.has(agentId) ?? true
}

export function requireCan(actor: Actor, action: Right, object?: AccessObject): void {
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

/** The highest role in which somebody may speak on the bus; null: none. */
export function busRole(actor: Actor): PeerRole | null {
  if (can(actor, 'bus.orchestrate')) return 'orchestrator'
  return can(actor, 'bus.work') ? 'worker' : null
}
