/** Joins the hub link to the sessions of this machine: reports and batches out of index and logs, acks into the index. */
import type { HostState, SessionReport, Verdict, Waits } from '@roundhouse/backend-types'
import type { CommandNewsItem, LinkPorts } from '../hub-link'
import type { CommandDesk } from './command-desk'
import type { NewsBox } from './news-box'
import type { Questions } from './questions'
import type { SessionIndex, SessionRow } from './session-index'
import type { SessionLogs } from './session-logs'
import type { Supervisor } from './supervisor'

export interface LinkPortsParts {
  identity: LinkPorts['identity']
  chain: LinkPorts['chain']
  auditHeads: LinkPorts['auditHeads']
  hello: LinkPorts['hello']
  index: SessionIndex
  logs: SessionLogs
  supervisor: Supervisor
  desk: CommandDesk
  questions: Questions
  news: NewsBox
  waits(): Waits
  connected(connected: boolean): void
  log(line: string): void
}

export function linkPorts(parts: LinkPortsParts): LinkPorts {
  const { index, logs, supervisor, desk, questions, news, log } = parts
  const firstRetained = (row: SessionRow): number =>
    row.last === 0 ? 0 : (logs.reader(row.sessionId)?.firstRetained() ?? 0)
  const reportOf = (row: SessionRow): SessionReport => ({
    sessionId: row.sessionId,
    logId: row.logId,
    firstRetained: firstRetained(row),
    last: row.last,
    acked: row.acked,
    ackedEpoch: row.ackedEpoch,
  })
  const isLive = (row: SessionRow) => supervisor.slot(row.sessionId).attached !== null
  return {
    identity: parts.identity,
    chain: parts.chain,
    auditHeads: parts.auditHeads,
    hello: parts.hello,
    present: (hubEpoch) => {
      supervisor.hubEpoch = hubEpoch
    },
    reports: (hubEpoch) =>
      index
        .all()
        .filter((row) => row.logId !== '')
        .filter((row) => row.changed || row.acked < row.last || row.ackedEpoch !== hubEpoch || isLive(row))
        .sort((a, b) => Number(isLive(b)) - Number(isLive(a)))
        .map(reportOf),
    report: (sessionId) => {
      const row = index.get(sessionId)
      return row && row.logId !== '' ? reportOf(row) : null
    },
    reported: () => {
      for (const row of index.all()) if (row.changed) index.put(row.sessionId, { changed: false })
    },
    verdict: (verdict) => carryOut(verdict, supervisor, log),
    position: (sessionId) => {
      const row = index.get(sessionId)
      return { head: row?.last ?? 0, acked: row?.acked ?? 0, ackedEpoch: row?.ackedEpoch ?? '' }
    },
    read: (sessionId, after, upTo, limits) => {
      // Whatever the hub may get of a log the index remembers, so that a daemon which is killed now leaves one that knows.
      index.flush()
      return logs.read(sessionId, after, upTo, limits)
    },
    acked: (sessionId, upTo, hubEpoch) => {
      if (!index.get(sessionId)) return
      index.put(sessionId, { acked: upTo, ackedEpoch: hubEpoch })
      supervisor.slot(sessionId).tellAcked()
    },
    rebase: async (sessionId, order, hubEpoch) => {
      log(`${sessionId}: the hub knows this log otherwise; it goes on behind a gap at ${order.to + 1}`)
      await supervisor.slot(sessionId).rebase(order, hubEpoch)
      index.put(sessionId, { acked: order.to, ackedEpoch: hubEpoch })
    },
    stopped: (sessionId, error) =>
      log(`${sessionId}: the hub takes nothing more of it (${error.code}: ${error.message})`),
    states: () => supervisor.all().flatMap((slot): HostState[] => (slot.state ? [slot.state] : [])),
    waits: parts.waits,
    news: () => news.all(),
    newsDelivered: (item: CommandNewsItem) => news.delivered(item),
    command: (command) => desk.take(command),
    cancel: (sessionId, commandId) => desk.cancel(sessionId, commandId),
    question: (question) => questions.answer(question),
    connected: parts.connected,
    log,
  }
}

function carryOut(verdict: Verdict, supervisor: Supervisor, log: (line: string) => void): void {
  const { sessionId } = verdict
  switch (verdict.verdict) {
    case 'deleted':
      log(`${sessionId}: deleted at the hub; it ends and is erased here`)
      supervisor
        .slot(sessionId)
        .erase()
        .catch((error: unknown) => log(`${sessionId}: could not be erased: ${String(error)}`))
      break
    case 'not_yours':
      log(`${sessionId}: belongs to another agent of the hub; its log stays here`)
      break
    case 'resume':
    case 'rebase':
    case 'unknown':
      break
  }
}
