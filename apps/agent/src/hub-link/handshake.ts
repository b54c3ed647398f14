/**
 * LINK-2 in its order: chain to the disk, hello, states, then the sessions page by page with their verdicts. Nothing of a
 * log is sent before the hub has said what it holds.
 */
import {
  type LinkLimits,
  linkLimits,
  PROTOCOL_VERSIONS,
  type SessionReport,
  type Verdict,
  type Welcome,
} from '@roundhouse/backend-types'
import type { Outlet } from './outlet'
import type { LinkPorts } from './ports'

/** The hub may lower what both know, never raise it. */
export function agreedLimits(offered: LinkLimits): LinkLimits {
  const least = (name: keyof LinkLimits) => Math.min(offered[name], linkLimits[name])
  return {
    frameBytes: least('frameBytes'),
    batchEvents: least('batchEvents'),
    batchBytes: least('batchBytes'),
    windowEvents: least('windowEvents'),
    windowBytes: least('windowBytes'),
    sessionsPerPage: least('sessionsPerPage'),
  }
}

/** JOIN-4: the new value is on the disk before the old one is shown, so that a crash in between loses neither. */
export async function sayHello(outlet: Outlet, welcome: Welcome, ports: LinkPorts): Promise<void> {
  const stored = ports.chain.read()
  ports.chain.write(welcome.chain)
  await outlet.ask('hello', {
    ...ports.hello(),
    protocol: [...PROTOCOL_VERSIONS],
    chain: stored,
    auditHeads: ports.auditHeads.kept(),
    now: Date.now(),
  })
}

/** Each report opens a log, and there may be thousands: so many in one turn of the event loop. */
const REPORTS_AT_ONCE = 8

/** Sends the reports in pages and hands out each verdict as it comes. A report is made when its page is. */
export async function reportSessions(
  outlet: Outlet,
  reports: Iterable<SessionReport>,
  perPage: number,
  onVerdict: (verdict: Verdict) => void,
): Promise<void> {
  const left = reports[Symbol.iterator]()
  let next = left.next()
  do {
    const sessions: SessionReport[] = []
    for (; !next.done && sessions.length < perPage; next = left.next()) {
      sessions.push(next.value)
      if (sessions.length % REPORTS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const { verdicts } = await outlet.ask('sessions', { sessions, last: next.done === true })
    for (const verdict of verdicts) onVerdict(verdict)
  } while (!next.done)
}

/** The same reports, each named in `named` when it is taken. */
export function* noting(reports: Iterable<SessionReport>, named: Set<string>): Generator<SessionReport> {
  for (const report of reports) {
    named.add(report.sessionId)
    yield report
  }
}
