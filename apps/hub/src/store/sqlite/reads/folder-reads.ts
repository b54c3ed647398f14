/** What the check command reads beside the audit log, in one read of the database, one row at a time. */
import type { AuditItem } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import type { EventNow } from '../../../core/audit/audit-events'
import { type MachineNow, type PersonNow, type RightsRow, rightsActions } from '../../../core/audit/audit-rights'
import { openReader } from '../file/connections'
import { readFacts } from '../rows/audit-facts'
import { readObject } from '../rows/json-objects'
import { readable } from '../rows/row-by-row'

export interface FolderReads {
  rightsRows(): Iterable<RightsRow>
  people(): PersonNow[]
  machines(): MachineNow[]
  events(): Iterable<EventNow>
  sessions(): Iterable<{ sessionId: string; committed: number }>
}

export function readFolder<T>(file: string, work: (reads: FolderReads) => T): T {
  const db = openReader(file)
  const all = <Row>(sql: string) => db.prepare<[], Row>(sql)
  const actions = rightsActions.map((action) => `'${action}'`).join(', ')
  const reads: FolderReads = {
    rightsRows: () =>
      each(
        all<AuditItem>(`SELECT * FROM Audit WHERE outcome = 'ok' AND action IN (${actions}) ORDER BY id`).iterate(),
        ({ detail, ...row }) => ({ ...row, facts: readFacts(detail) }),
      ),
    people: () =>
      all<{ userId: string; role: string; banned: number; agents: string }>(
        `SELECT id AS userId, coalesce(role, '') AS role, coalesce(banned, 0) AS banned,
           (SELECT coalesce(group_concat(agentId, ' '), '') FROM MachineShare WHERE userId = User.id) AS agents FROM User`,
      )
        .all()
        .map(({ banned, agents, ...person }) => ({
          ...person,
          disabled: banned === 1,
          agents: agents.split(' ').filter((id) => id !== ''),
        })),
    machines: () =>
      all<{ agentId: string; state: string; keyFingerprint: string; publicKey: string }>(
        'SELECT agentId, state, keyFingerprint, publicKey FROM Agent',
      )
        .all()
        .map(({ publicKey, ...machine }) => ({ ...machine, fingerprintOfKey: fingerprintOf(publicKey) })),
    events: () =>
      each(
        all<Omit<EventNow, 'unreadHash'>>(
          `SELECT s.sessionId, e.seq, e.toSeq, coalesce(e.kind, '') AS kind, lower(hex(e.hash)) AS hash, coalesce(e.body, '') AS body FROM Session s
         JOIN Event e ON e.sessionPk = s.pk ORDER BY s.pk, e.seq`,
        ).iterate(),
        (row) => ({ ...row, unreadHash: row.kind === 'tombstone' ? unreadHashOf(row.body) : null }),
      ),
    sessions: () => all<{ sessionId: string; committed: number }>('SELECT sessionId, committed FROM Session').iterate(),
  }
  try {
    // Never committed: that fails where a page could not be read, although the work went on without it.
    db.exec('BEGIN')
    return work(reads)
  } finally {
    db.close()
  }
}

/** The hub writes words of its own in place of a body that it did not take. Returns the hash of that body. */
const unreadHashOf = (body: string): string | null =>
  readable(() => readObject<{ sha256?: string }>(body).sha256) ?? null

/** One in memory at a time. */
function* each<Raw, Row>(raws: Iterable<Raw>, toRow: (raw: Raw) => Row): Iterable<Row> {
  for (const raw of raws) yield toRow(raw)
}
