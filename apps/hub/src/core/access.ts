/** Who may do what: one table of roles, no other place decides. Pure. */
import { CodedError, type Role } from '@roundhouse/backend-types'

/** The person behind a request, from the server-side login alone. */
export interface Actor {
  userId: string
  name: string
  role: Role
}

export type Action =
  | 'session.read'
  | 'session.create'
  | 'session.prompt'
  | 'session.control'
  | 'session.organise'
  | 'session.delete'
  | 'permission.decide'
  | 'agent.read'
  | 'agent.manage'
  | 'token.manage'
  | 'user.manage'
  | 'audit.read'

const reads: Action[] = ['session.read', 'agent.read']
const decides: Action[] = [...reads, 'permission.decide']
const operates: Action[] = [...decides, 'session.create', 'session.prompt', 'session.control', 'session.organise']
const manages: Action[] = [...operates, 'session.delete', 'agent.manage', 'token.manage', 'user.manage', 'audit.read']

const table: Readonly<Record<Role, ReadonlySet<Action>>> = {
  owner: new Set(manages),
  admin: new Set(manages),
  operator: new Set([...operates, 'session.delete']),
  approver: new Set(decides),
  viewer: new Set(reads),
}

/** What the action is done to. Every session and agent is shared with every person of this hub. */
export interface AccessObject {
  agentId?: string
  sessionId?: string
}

export function can(actor: Actor, action: Action, _object?: AccessObject): boolean {
  return table[actor.role].has(action)
}

export function requireCan(actor: Actor, action: Action, object?: AccessObject): void {
  if (!can(actor, action, object)) throw new CodedError('FORBIDDEN', undefined, { action })
}
