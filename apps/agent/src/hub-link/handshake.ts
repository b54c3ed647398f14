/** The frames of a handshake (LINK-2): hello, and reports page by page. The state machine of the link decides when. */
import {
  type LinkLimits,
  linkLimits,
  PROTOCOL_VERSIONS,
  type SessionReport,
  type Verdict,
  type Welcome,
} from '@roundhouse/backend-types'
import type { Outlet } from './outlet'
import type { HelloPorts } from './ports'

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
export async function sayHello(outlet: Outlet, welcome: Welcome, ports: HelloPorts): Promise<void> {
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

export interface AnsweredPage {
  named: string[]
  verdicts: Verdict[]
  isLast: boolean
}

/** Each report opens a log, and there may be thousands: so many in one turn of the event loop. */
const REPORTS_AT_ONCE = 8

/** All sessions, page by page. A report is made when its page is. */
export class ReportPages {
  private readonly left: Iterator<SessionReport>
  private next: IteratorResult<SessionReport> | null = null

  constructor(
    private readonly outlet: Outlet,
    reports: Iterable<SessionReport>,
    private readonly perPage: number,
  ) {
    this.left = reports[Symbol.iterator]()
  }

  async report(): Promise<AnsweredPage> {
    const sessions: SessionReport[] = []
    let next = this.next ?? this.left.next()
    for (; !next.done && sessions.length < this.perPage; next = this.left.next()) {
      sessions.push(next.value)
      if (sessions.length % REPORTS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    this.next = next
    const isLast = next.done === true
    const { verdicts } = await this.outlet.ask('sessions', { sessions, last: isLast })
    return { named: sessions.map(({ sessionId }) => sessionId), verdicts, isLast }
  }
}
