import type { AuditEntry } from '../ports/audit-store'

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
