import type { AuditEntry } from '../ports/audit-store'

/** Who acts, and from where. */
export interface Doer {
  userId: string
  name: string
  address?: string
}

/** A caller without any valid credential. */
export const stranger = (address: string): Doer => ({ userId: 'stranger', name: '', address })

/** The hub itself, or a person with access to its disk. */
export const hubItself: Doer = { userId: 'hub', name: 'hub' }

/** A machine, as it names itself. */
export function asMachine({ agentId, name }: { agentId: string; name: string }, address?: string): Doer {
  return { userId: `agent:${agentId}`, name, ...(address === undefined ? {} : { address }) }
}

/** The entry for an action that succeeded. */
export function entryOf(actor: Doer, action: string, object?: string, detail?: AuditEntry['detail']): AuditEntry {
  const { userId: actorId, name: actorName, address } = actor
  return { actorId, actorName, action, object, outcome: 'ok', address, detail }
}

export function refusalOf(actor: Doer, action: string, object?: string, detail?: AuditEntry['detail']): AuditEntry {
  return { ...entryOf(actor, action, object, detail), outcome: 'refused' }
}
