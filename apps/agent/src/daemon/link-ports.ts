/**
 * Connects the hub link to the sessions of this machine: reports and batches come from index and logs, and acks go into the
 * index.
 */
import { CodedError, type HostState, type SessionReport, type Verdict, type Waits } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import type { CommandNewsItem, LinkPorts } from '../hub-link'
import type { CommandRouter } from './commands/command-router'
import type { Questions } from './commands/questions'
import type { Supervisor } from './hosts/supervisor'
import type { SessionRow } from './logs/index-file'
import type { NewsOutbox } from './logs/news-outbox'
import { saysMore } from './logs/says-more'
import type { SessionIndex } from './logs/session-index'
import type { SessionLogs } from './logs/session-logs'

/** This machine's identity and hello. */
export type Greeting = Pick<LinkPorts, 'identity' | 'chain' | 'auditHeads' | 'hello'>

export interface LinkPortsParts {
  greeting: Greeting
  attention: LinkPorts['attention']
  index: SessionIndex
  logs: SessionLogs
  supervisor: Supervisor
  router: CommandRouter
  questions: Questions
  news: NewsOutbox
  /** The hub has stored the refusal of a command of this session. */
  refusalKnown(sessionId: string): void
  waits(): Waits
  /** Sessions whose accepted prompt waits for a place. */
  waiting(): string[]
  connected(connected: boolean): void
  log(line: string): void
}

export function linkPorts(parts: LinkPortsParts): LinkPorts {
  const { index, logs, supervisor, router, questions, news, log } = parts
  const firstRetained = (row: SessionRow): number =>
    row.last === 0 ? 0 : (logs.ask(row.sessionId, (kept) => kept.firstRetained()) ?? 0)
  const reportOf = (row: SessionRow): SessionReport => ({
    sessionId: row.sessionId,
    logId: row.logId,
    firstRetained: firstRetained(row),
    last: row.last,
    acked: row.acked,
    ackedEpoch: row.ackedEpoch,
  })
  /** The content of these logs is unknown now; each is reported as soon as it is known. */
  const isUnsettled = (sessionId: string) => logs.isBroken(sessionId) || supervisor.isAdopting(sessionId)
  const reportNow = (sessionId: string): SessionReport | null => {
    const row = index.get(sessionId)
    const report = row && row.logId !== '' ? reportOf(row) : null
    return isUnsettled(sessionId) ? null : report
  }
  /**
   * The hub has more of this log than was reported, and the log may have it too: the index remembers less if the disk
   * refused it. Then the log is reported again, and nothing is moved. Throws the code that means "later".
   */
  const requireJudged = (sessionId: string, order: RebaseOrder): void => {
    const told = index.get(sessionId)?.last ?? 0
    if (told >= order.to || logs.isBroken(sessionId)) return
    const found = logs.ask(sessionId, (log) => log.found())
    if (found === null && !logs.exists(sessionId)) return
    if (found && found.head <= told) return
    if (found) index.put(sessionId, { logId: found.logId, last: found.head, changed: true })
    throw new CodedError('STORAGE_UNAVAILABLE', 'The end of this log was unknown when it was reported.')
  }
  const isLive = (row: SessionRow) => supervisor.known(row.sessionId)?.attached != null
  /** What the hub must know of a session without a host. Null if its events say it all. */
  const atRest = (sessionId: string, waits: boolean): HostState | null => {
    const read = logs.askOnce(sessionId, (log) => ({ state: log.lastState() }))
    if (!read) return null
    const more = saysMore(read.state)
    const known = index.get(sessionId)
    if (known && known.saysMore !== more) index.put(sessionId, { saysMore: more })
    return waits || more ? read.state : null
  }
  return {
    ...parts.greeting,
    attention: parts.attention,
    present: (hubEpoch) => {
      supervisor.records.hubEpoch = hubEpoch
    },
    reports: function* (hubEpoch) {
      const due = index
        .all()
        .filter((row) => row.changed || row.acked < row.last || row.ackedEpoch !== hubEpoch || isLive(row))
        .sort((a, b) => Number(isLive(b)) - Number(isLive(a)))
      for (const { sessionId } of due) {
        const report = reportNow(sessionId)
        if (report) yield report
      }
    },
    report: reportNow,
    reported: () => {
      const told = index.all().filter(({ sessionId, changed }) => changed && !isUnsettled(sessionId))
      for (const { sessionId } of told) index.put(sessionId, { changed: false })
    },
    verdict: (verdict) => carryOut(verdict, supervisor, log),
    position: (sessionId) => {
      const row = index.get(sessionId)
      return { head: row?.last ?? 0, acked: row?.acked ?? 0, ackedEpoch: row?.ackedEpoch ?? '' }
    },
    read: (sessionId, after, upTo, limits) => {
      // The index must remember everything that the hub may get of a log, so that the next daemon knows after a crash.
      index.flush()
      return logs.read(sessionId, after, upTo, limits)
    },
    acked: (sessionId, upTo, hubEpoch) => {
      if (!index.get(sessionId)) return
      index.put(sessionId, { acked: upTo, ackedEpoch: hubEpoch })
      supervisor.known(sessionId)?.tellAcked()
    },
    rebase: async (sessionId, order, hubEpoch) => {
      requireJudged(sessionId, order)
      log(`${sessionId}: the hub has another version of this log; it continues behind a gap at ${order.to + 1}`)
      const logId = index.get(sessionId)?.logId ?? ''
      await supervisor.hosted(sessionId).rebase(order, hubEpoch, logId)
      // A new log took its place, and the hub has not answered about that one yet.
      if (index.get(sessionId)?.logId !== logId) return
      index.put(sessionId, { acked: order.to, ackedEpoch: hubEpoch })
      supervisor.records.agreed(sessionId)
    },
    stopped: (sessionId, error) => log(`${sessionId}: the hub accepts no more of it (${error.code}: ${error.message})`),
    states: () => supervisor.all().flatMap((hosted): HostState[] => (hosted.state ? [hosted.state] : [])),
    restingStates: function* () {
      const waiting = new Set(parts.waiting())
      const mayTell = index.all().filter((row) => row.saysMore !== false)
      for (const sessionId of new Set([...waiting, ...mayTell.map((row) => row.sessionId)])) {
        yield supervisor.known(sessionId)?.attached ? null : atRest(sessionId, waiting.has(sessionId))
      }
    },
    waits: parts.waits,
    news: () => news.all(),
    newsDelivered: (item: CommandNewsItem) => {
      news.delivered(item)
      if (item.answer.state === 'refused') parts.refusalKnown(item.sessionId)
    },
    command: (command) => router.take(command),
    cancel: (sessionId, commandId) => router.cancel(sessionId, commandId),
    question: (question) => questions.answer(question),
    connected: parts.connected,
    log,
  }
}

function carryOut(verdict: Verdict, supervisor: Supervisor, log: (line: string) => void): void {
  const { sessionId } = verdict
  switch (verdict.verdict) {
    case 'deleted':
      if (!supervisor.holds(sessionId)) break
      log(`${sessionId}: deleted at the hub; ending and erasing it here`)
      supervisor
        .hosted(sessionId)
        .erase()
        .catch((error: unknown) => log(`${sessionId}: could not be erased: ${String(error)}`))
      break
    case 'not_yours':
      supervisor.records.agreed(sessionId)
      log(`${sessionId}: belongs to another agent of the hub; its log stays here`)
      break
    case 'resume':
    case 'unknown':
      supervisor.records.agreed(sessionId)
      break
    case 'rebase':
      break
  }
}
