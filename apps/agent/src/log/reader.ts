/**
 * Reads a session's log from another process, beside its writer. Every read is one short statement: a reader that kept a
 * transaction open would keep the writer's side file from shrinking.
 */
import type { CommandAnswer, EventEnvelope, HostState, SoFar } from '@roundhouse/backend-types'
import { requireOwnDatabase } from '@roundhouse/owner'
import Database from 'better-sqlite3'
import { sessionFiles } from '../host-contract/paths'
import { readableAccount } from '../host-contract/readable-account'
import { type Acked, ackedKey, parseAcked } from './acked'
import { type FoundLog, formerLogIdsKey, parseFormerLogIds, prunedToKey, sessionKey } from './lost-log'
import { answerOfRow, type EventRow, eventsOf, type InboxState } from './rows'
import { readSoFar } from './so-far'
import { parseTranscriptSeen, type TranscriptSeen, transcriptSeenKey } from './transcript-seen'

/** The longest time for which another program's lock may stop the daemon. */
const LOCKED_MS = 100

export interface ReadLimits {
  maxEvents: number
  maxBytes: number
}

export interface LogReader {
  logId(): string
  /** The session of the log; null if an earlier version wrote it last. */
  session(): string | null
  /** The log's identity, to be compared with what is remembered of it. */
  found(): FoundLog
  /** As stored in the log itself. */
  acked(): Acked
  /** 0 when the log is empty. */
  firstRetained(): number
  /** Everything up to here was pruned. Anything else that is missing was lost. */
  prunedTo(): number
  /**
   * Events after that number, in order. At least one event if there is one, however large; otherwise within both
   * limits. A gap replaces a damaged row.
   */
  read(after: number, limits: ReadLimits): EventEnvelope[]
  /** What the log said about its session, for a hub that gets no beginning. */
  soFar(): SoFar | null
  /** The last account of the host that ended. It holds while no other host runs. */
  lastState(): HostState | null
  /** How far the transcript of its conversation was read. */
  transcriptSeen(): TranscriptSeen | null
  /** The result of a command, if the command was ever received here. */
  answerOf(commandId: string): CommandAnswer | null
  /** The state of a permission request; null if the id is unknown. */
  outcomeOf(requestId: string): string | null
  /** The commands received last, newest first, to repeat their news after a reconnect. */
  recentAnswers(limit: number): Array<{ commandId: string; answer: CommandAnswer }>
  close(): void
}

/** Throws when the folder has no log. */
export function openLogReader(sessionDir: string): LogReader {
  const file = sessionFiles(sessionDir).log
  requireOwnDatabase(file)
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: LOCKED_MS })
  db.pragma('cache_size = -256')
  const meta = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?')
  const ends = db.prepare<[], { first: number | null; last: number | null }>(
    // Two look-ups at the ends of the key: min() and max() in one query would walk the whole table.
    'SELECT (SELECT min(seq) FROM events) AS first, (SELECT max(ifnull("to", seq)) FROM (SELECT seq, "to" FROM events ORDER BY seq DESC LIMIT 1)) AS last',
  )
  const page = db.prepare<[number, number], EventRow>(
    'SELECT seq, "to", kind, v, at, hash, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
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
    session: () => value(sessionKey),
    found: () => ({
      logId: value('logId') ?? '',
      head: head(),
      formerLogIds: parseFormerLogIds(value(formerLogIdsKey)),
    }),
    acked: () => parseAcked(value(ackedKey)),
    firstRetained: () => ends.get()?.first ?? 0,
    prunedTo: () => {
      const said = value(prunedToKey)
      // A host of an earlier version did not record it; in its log only the beginning was ever pruned.
      return said === null ? Math.max(0, (ends.get()?.first ?? 1) - 1) : Number(said)
    },
    read: (after, limits) => withinLimits(eventsOf(after, page.all(after, limits.maxEvents)), limits.maxBytes),
    soFar: () => readSoFar(value),
    lastState: () => {
      const text = value('lastState')
      return text === null ? null : (readableAccount(JSON.parse(text))?.state ?? null)
    },
    transcriptSeen: () => parseTranscriptSeen(value(transcriptSeenKey)),
    answerOf: (commandId) => {
      const row = inbox.get(commandId)
      return row ? answerOfRow(row) : null
    },
    outcomeOf: (requestId) => {
      const asked = db.prepare<[string], { outcome: string }>('SELECT outcome FROM requests WHERE requestId = ?')
      return asked.get(requestId)?.outcome ?? null
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
