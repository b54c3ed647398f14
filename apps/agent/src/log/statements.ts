/** The prepared statements of a session's log, for its writer. Changes are data, so that one transaction can hold many. */
import { CodedError, type EventEnvelope } from '@roundhouse/backend-types'
import type Database from 'better-sqlite3'
import type { OldEvent } from './plan-prune'
import { type EventRow, eventsOf, type InboxState, requireWhole } from './rows'

export interface InboxRow {
  commandId: string
  cmdSeq: number | null
  kind: string
  /** The command, as JSON. */
  body: string
  state: InboxState
  /** For `refused`: the error, as JSON. */
  answer: string | null
  at: number
}

/** A permission request in the host's ledger. `row` is the ledger's own JSON. */
export interface RequestRow {
  requestId: string
  procId: string
  outcome: string
  row: string
}

const inboxTexts = ['commandId', 'kind', 'body', 'state'] as const
const requestTexts = ['requestId', 'procId', 'outcome', 'row'] as const

/** The approximate size of a row without its body. */
const ROW_BYTES = 160

export interface LogChange {
  /** New commands and state changes of known ones. */
  received?: InboxRow[]
  moved?: Array<{ commandId: string; state: InboxState; answer?: string | null }>
  requests?: RequestRow[]
  grants?: Array<{ grantId: string; row: string | null }>
  /** `null` removes. */
  meta?: Record<string, string | null>
}

export class LogStatements {
  private readonly insert: Database.Statement
  private readonly getMeta: Database.Statement<[string], { value: string }>
  private readonly setMeta: Database.Statement
  private readonly removeMeta: Database.Statement
  private readonly putInbox: Database.Statement
  private readonly moveInbox: Database.Statement
  private readonly putRequest: Database.Statement
  private readonly putGrant: Database.Statement
  private readonly removeGrant: Database.Statement

  constructor(private readonly db: Database.Database) {
    this.insert = db.prepare(
      'INSERT INTO events (seq, "to", kind, v, at, hash, body) VALUES (@seq, @to, @kind, @v, @at, @hash, @body)',
    )
    this.getMeta = db.prepare('SELECT value FROM meta WHERE key = ?')
    this.setMeta = db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
    this.removeMeta = db.prepare('DELETE FROM meta WHERE key = ?')
    this.putInbox = db.prepare(
      'INSERT INTO inbox (commandId, cmdSeq, kind, body, state, answer, at) VALUES (@commandId, @cmdSeq, @kind, @body, @state, @answer, @at)',
    )
    this.moveInbox = db.prepare('UPDATE inbox SET state = @state, answer = @answer WHERE commandId = @commandId')
    this.putRequest = db.prepare(
      'INSERT INTO requests VALUES (@requestId, @procId, @outcome, @row) ON CONFLICT (requestId) DO UPDATE SET outcome = excluded.outcome, row = excluded.row',
    )
    this.putGrant = db.prepare(
      'INSERT INTO grants VALUES (@grantId, @row) ON CONFLICT (grantId) DO UPDATE SET row = excluded.row',
    )
    this.removeGrant = db.prepare('DELETE FROM grants WHERE grantId = @grantId')
  }

  insertEvent(event: EventEnvelope): void {
    this.insert.run({ ...event, to: event.to ?? null })
  }

  /** Only inside a transaction. */
  apply(change: LogChange): void {
    for (const row of change.received ?? []) this.putInbox.run(row)
    for (const move of change.moved ?? []) this.moveInbox.run({ ...move, answer: move.answer ?? null })
    for (const row of change.requests ?? []) this.putRequest.run(row)
    for (const grant of change.grants ?? []) (grant.row === null ? this.removeGrant : this.putGrant).run(grant)
    for (const [key, value] of Object.entries(change.meta ?? {})) {
      if (value === null) this.removeMeta.run(key)
      else this.setMeta.run(key, value)
    }
  }

  removeAfter(seq: number): void {
    this.db.prepare('DELETE FROM events WHERE seq > ?').run(seq)
  }

  blankEvent(seq: number): void {
    const event = this.eventsAfter(seq - 1, 1)[0]
    if (event?.seq !== seq) throw new CodedError('NOT_FOUND')
    const { hash: sha256, body } = event
    const blank = { kind: 'tombstone', code: 'BLANKED', path: '', bytes: Buffer.byteLength(body), sha256 }
    this.db.prepare('UPDATE events SET body = ? WHERE seq = ?').run(JSON.stringify(blank), seq)
  }

  meta(key: string): string | null {
    return this.getMeta.get(key)?.value ?? null
  }

  head(): number {
    const last = this.db
      .prepare<[], { seq: number; to: number | null }>('SELECT seq, "to" FROM events ORDER BY seq DESC LIMIT 1')
      .get()
    return last ? (last.to ?? last.seq) : 0
  }

  eventsAfter(after: number, limit: number): EventEnvelope[] {
    const rows = this.db
      .prepare<[number, number], EventRow>(
        'SELECT seq, "to", kind, v, at, hash, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
      )
      .all(after, limit)
    return eventsOf(after, rows)
  }

  /** Bodies of all events of these kinds after that number. */
  bodiesOf(kinds: readonly string[], after = 0): string[] {
    const sql = 'SELECT body FROM events WHERE seq > ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq'
    return this.db
      .prepare<[number, string], { body: string }>(sql)
      .all(after, JSON.stringify(kinds))
      .map(({ body }) => body)
  }

  /** From the first on, without the last, which holds the log's position. */
  oldest(limit: number): OldEvent[] {
    return this.db
      .prepare<[number], OldEvent>(
        `SELECT ifnull("to", seq) AS last, at, octet_length(body) + ${ROW_BYTES} AS bytes FROM events
         WHERE seq < (SELECT max(seq) FROM events) ORDER BY seq LIMIT ?`,
      )
      .all(limit)
  }

  removeUpTo(last: number): void {
    this.db.prepare('DELETE FROM events WHERE seq <= ?').run(last)
  }

  /** The size of the bodies after the first number, up to the second. */
  bytesIn(after: number, upTo: number): number {
    const sum = this.db
      .prepare<[number, number], { bytes: number | null }>(
        'SELECT sum(octet_length(body)) AS bytes FROM events WHERE seq > ? AND seq <= ?',
      )
      .get(after, upTo)
    return sum?.bytes ?? 0
  }

  /** The size of the file without its free pages. */
  usedBytes(): number {
    const { pages, free, pageBytes } = this.pages()
    return (pages - free) * pageBytes
  }

  pages(): { pages: number; free: number; pageBytes: number } {
    const pragma = (name: string) => Number(this.db.pragma(name, { simple: true }))
    return { pages: pragma('page_count'), free: pragma('freelist_count'), pageBytes: pragma('page_size') }
  }

  inboxRow(commandId: string): InboxRow | undefined {
    const row = this.db.prepare<[string], InboxRow>('SELECT * FROM inbox WHERE commandId = ?').get(commandId)
    return row && requireWhole(row, inboxTexts)
  }

  /** Whether a prompt of this id waits, runs or ran. A body is read whole only where it holds the id at all. */
  hasPrompt(promptId: string): boolean {
    const holding = this.db.prepare<[string], string>(
      `SELECT body FROM inbox WHERE kind IN ('prompt.send', 'session.create')
        AND state NOT IN ('refused', 'cancelled') AND instr(body, ?) > 0`,
    )
    return holding
      .pluck()
      .all(JSON.stringify(promptId))
      .some((body) => promptIdIn(body) === promptId)
  }

  /** Commands that were accepted or begun and have no result yet, oldest first. */
  unfinishedCommands(): InboxRow[] {
    return this.db
      .prepare<[], InboxRow>("SELECT * FROM inbox WHERE state IN ('accepted', 'started') ORDER BY at, cmdSeq")
      .all()
      .map((row) => requireWhole(row, inboxTexts))
  }

  /** Requests without a final outcome. */
  openRequests(): RequestRow[] {
    const rows = this.db.prepare<[], RequestRow>("SELECT * FROM requests WHERE outcome IN ('open', 'applying')").all()
    return rows.map((row) => requireWhole(row, requestTexts))
  }

  request(requestId: string): RequestRow | undefined {
    const row = this.db.prepare<[string], RequestRow>('SELECT * FROM requests WHERE requestId = ?').get(requestId)
    return row && requireWhole(row, requestTexts)
  }

  grants(): Array<{ grantId: string; row: string }> {
    const rows = this.db.prepare<[], { grantId: string; row: string }>('SELECT * FROM grants').all()
    return rows.map((row) => requireWhole(row, ['grantId', 'row']))
  }
}

/** Of a command's row; undefined where the row is damaged. */
function promptIdIn(body: string): unknown {
  try {
    const { promptId, prompt } = JSON.parse(body).body
    return promptId ?? prompt?.promptId
  } catch {
    return undefined
  }
}
