/**
 * Reads a session's log from another process, beside its writer. Every read is one short statement: a reader that kept a
 * transaction open would keep the writer's side file from shrinking.
 */
import {
  type CommandAnswer,
  type EventEnvelope,
  HostState,
  parseEventBody,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { sessionFiles } from '../host-contract/paths'
import { type Acked, ackedKey, parseAcked } from './acked'
import { type FoundLog, formerLogIdsKey, parseFormerLogIds } from './lost-log'
import { answerOfRow, type InboxState, toEnvelope } from './rows'

export interface ReadLimits {
  maxEvents: number
  maxBytes: number
}

export interface LogReader {
  logId(): string
  /** What it is, to be compared with what is remembered of it. */
  found(): FoundLog
  /** As the log itself keeps it. */
  acked(): Acked
  /** The last committed number; 0 when the log is empty. */
  head(): number
  /** 0 when the log is empty. */
  firstRetained(): number
  /**
   * Events after that number, in order. At least one if there is one, however large; otherwise within both limits.
   */
  read(after: number, limits: ReadLimits): EventEnvelope[]
  /** The first event: what the session was made with. `null` before it is created, or once it is pruned. */
  created(): SessionEventOf<'session_created'> | null
  /** What the last host that ended said of the session: true for as long as no other runs. */
  lastState(): HostState | null
  /** What became of a command, if it was ever received here. */
  answerOf(commandId: string): CommandAnswer | null
  /** The commands received last, newest first: to repeat their news after a reconnect. */
  recentAnswers(limit: number): Array<{ commandId: string; answer: CommandAnswer }>
  close(): void
}

/** Throws when the folder has no log. */
export function openLogReader(sessionDir: string): LogReader {
  const db = new Database(sessionFiles(sessionDir).log, { readonly: true, fileMustExist: true, timeout: 1_000 })
  db.pragma('cache_size = -256')
  const meta = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?')
  const ends = db.prepare<[], { first: number | null; last: number | null }>(
    // Two look-ups at the ends of the key: min() and max() in one query would walk the whole table.
    'SELECT (SELECT min(seq) FROM events) AS first, (SELECT max(ifnull("to", seq)) FROM (SELECT seq, "to" FROM events ORDER BY seq DESC LIMIT 1)) AS last',
  )
  const page = db.prepare<[number, number], EventEnvelope & { to: number | null }>(
    'SELECT seq, "to", kind, v, at, hash, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
  )
  // It is the first event, or, after a rebase, the one behind the gap.
  const first = db.prepare<[], { body: string }>(
    "SELECT body FROM events WHERE kind = 'session_created' ORDER BY seq LIMIT 1",
  )
  const inbox = db.prepare<[string], { state: InboxState; answer: string | null }>(
    'SELECT state, answer FROM inbox WHERE commandId = ?',
  )
  const recent = db.prepare<[number], { commandId: string; state: InboxState; answer: string | null }>(
    'SELECT commandId, state, answer FROM inbox ORDER BY at DESC LIMIT ?',
  )
  const head = () => ends.get()?.last ?? 0
  const value = (key: string) => meta.get(key)?.value ?? null

  return {
    logId: () => value('logId') ?? '',
    found: () => ({
      logId: value('logId') ?? '',
      head: head(),
      formerLogIds: parseFormerLogIds(value(formerLogIdsKey)),
    }),
    acked: () => parseAcked(value(ackedKey)),
    head,
    firstRetained: () => ends.get()?.first ?? 0,
    read: (after, limits) => withinLimits(page.all(after, limits.maxEvents).map(toEnvelope), limits.maxBytes),
    created: () => {
      const row = first.get()
      const event = row ? parseEventBody(row.body) : null
      return event?.kind === 'session_created' ? event : null
    },
    lastState: () => {
      const text = value('lastState')
      return text === null ? null : HostState.parse(JSON.parse(text))
    },
    answerOf: (commandId) => {
      const row = inbox.get(commandId)
      return row ? answerOfRow(row) : null
    },
    recentAnswers: (limit) =>
      recent.all(limit).map(({ commandId, ...row }) => ({ commandId, answer: answerOfRow(row) })),
    close: () => {
      db.close()
    },
  }
}

function withinLimits(events: EventEnvelope[], maxBytes: number): EventEnvelope[] {
  let bytes = 0
  const fitting = events.findIndex((event, index) => {
    bytes += Buffer.byteLength(event.body)
    return index > 0 && bytes > maxBytes
  })
  return fitting < 0 ? events : events.slice(0, fitting)
}
