/** What the audit log keeps: who did what to which object, and how it went. Never a secret, never an event's body. */
export interface AuditEntry {
  /** A user id, `agent:<id>`, or `hub`. */
  actorId: string
  actorName: string
  /** Dotted, as in `session.create`, `login.failed`. */
  action: string
  object?: string | undefined
  outcome: 'ok' | 'refused'
  /** The client's, where it is known. */
  address?: string | undefined
  /** Error code or short facts. */
  detail?: Record<string, string | number | boolean> | undefined
}

/** Somebody who acts, and from where. */
export interface Doer {
  userId: string
  name: string
  address?: string
}

/** Whoever has shown nothing of themselves that held. */
export const stranger = (address: string): Doer => ({ userId: 'stranger', name: '', address })

/** The hub by itself, and whoever has its disk. */
export const hubItself: Doer = { userId: 'hub', name: 'hub' }

/** A machine, by its own word. */
export function asMachine({ agentId, name }: { agentId: string; name: string }, address?: string): Doer {
  return { userId: `agent:${agentId}`, name, ...(address === undefined ? {} : { address }) }
}

/** What somebody did and it went well. */
export function entryOf(actor: Doer, action: string, object?: string, detail?: AuditEntry['detail']): AuditEntry {
  const { userId: actorId, name: actorName, address } = actor
  return { actorId, actorName, action, object, outcome: 'ok', address, detail }
}

export function refusalOf(actor: Doer, action: string, object?: string, detail?: AuditEntry['detail']): AuditEntry {
  return { ...entryOf(actor, action, object, detail), outcome: 'refused' }
}
