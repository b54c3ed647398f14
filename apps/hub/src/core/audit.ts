/** What the audit log keeps: who did what to which object, and how it went. Never a secret, never an event's body. */
export interface AuditEntry {
  /** A user id, `agent:<id>`, or `hub`. */
  actorId: string
  actorName: string
  /** Dotted, as in `session.create`, `login.failed`. */
  action: string
  object?: string
  outcome: 'ok' | 'refused'
  /** Error code or short facts. */
  detail?: Record<string, string | number | boolean>
}

/** What a person did and it went well. */
export function entryOf(
  actor: { userId: string; name: string },
  action: string,
  object: string,
  detail?: AuditEntry['detail'],
): AuditEntry {
  const entry = { actorId: actor.userId, actorName: actor.name, action, object, outcome: 'ok' as const }
  return detail ? { ...entry, detail } : entry
}
