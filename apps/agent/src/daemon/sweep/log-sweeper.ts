/**
 * Prunes the logs of idle sessions (REB-3). A log is opened once after each change. A separate host removes the events, one
 * session after the other, and only while the hub that has them is connected. If a session waits for something that does not
 * answer (FLOW-7), its pruning continues and the next session starts.
 */
import type { HostLimits } from '../../host-contract/launch-spec'
import type { Policy } from '../../policy/policy'
import type { HostedSession } from '../hosts/session/hosted-session'
import { within } from '../hosts/session/leave-host'
import type { SessionRow } from '../logs/index-file'
import { planSweep, type StoredLog } from '../logs/plan-sweep'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'

interface Around {
  /** The current connection. */
  readonly hubEpoch: string | null
  hosted(sessionId: string): Pick<HostedSession, 'prune'>
  known(sessionId: string): Pick<HostedSession, 'attached'> | undefined
}

const SLOW_MS = 5_000

interface Beginning {
  stamp: number
  first: number
  at: number
}

export class LogSweeper {
  private readonly beginnings = new Map<string, Beginning>()
  /** Sessions whose logs are being pruned. */
  private readonly pruning = new Set<string>()
  private running: Promise<void> | null = null

  constructor(
    private readonly index: Pick<SessionIndex, 'all' | 'get'>,
    private readonly logs: Pick<SessionLogs, 'bytes' | 'stamp' | 'askOnce'>,
    private readonly supervisor: Around,
    private readonly limits: () => Policy['limits'],
    private readonly now: () => number,
    private readonly log: (line: string) => void,
    private readonly slowMs = SLOW_MS,
  ) {}

  /** Resolves when this round, or the current one, is over. */
  sweep(): Promise<void> {
    this.running ??= this.round()
      .catch((error: unknown) => this.log(`could not check the logs: ${String(error)}`))
      .finally(() => {
        this.running = null
      })
    return this.running
  }

  private async round(): Promise<void> {
    const epoch = this.supervisor.hubEpoch
    if (epoch === null) return
    const { keepMs, keepSessionBytes, keepAgentBytes, backlogBytes } = this.limits()
    const stored: StoredLog[] = []
    for (const row of this.index.all()) {
      stored.push(this.look(row, epoch))
      // Yields, so that thousands of logs do not delay the link.
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const sessionId of this.beginnings.keys()) if (!this.index.get(sessionId)) this.beginnings.delete(sessionId)
    const plan = planSweep(stored, { now: this.now(), keepMs, keepSessionBytes, keepAgentBytes })
    for (const { sessionId, keepBytes } of plan) await this.prune(sessionId, epoch, { keepMs, keepBytes, backlogBytes })
  }

  private async prune(sessionId: string, epoch: string, limits: HostLimits): Promise<void> {
    if (this.supervisor.hubEpoch !== epoch || this.pruning.has(sessionId)) return
    this.pruning.add(sessionId)
    const pruned = this.supervisor
      .hosted(sessionId)
      .prune(limits)
      .catch((error: unknown) => this.log(`${sessionId}: its log could not be pruned: ${String(error)}`))
      .finally(() => this.pruning.delete(sessionId))
    await within(this.slowMs, pruned)
  }

  private look(row: SessionRow, epoch: string): StoredLog {
    const { sessionId, acked, ackedEpoch, last } = row
    const { first, at, stamp } = this.beginningOf(sessionId)
    const taken = ackedEpoch === epoch && first > 0 && first <= acked && first < last
    return {
      sessionId,
      bytes: this.logs.bytes(sessionId),
      oldestAt: at,
      writtenAt: stamp,
      prunable: taken && this.supervisor.known(sessionId)?.attached == null,
    }
  }

  private beginningOf(sessionId: string): Beginning {
    const stamp = this.logs.stamp(sessionId)
    const known = this.beginnings.get(sessionId)
    if (known?.stamp === stamp) return known
    const read = { stamp, ...this.readBeginning(sessionId) }
    this.beginnings.set(sessionId, read)
    return read
  }

  private readBeginning(sessionId: string): { first: number; at: number } {
    const beginning = this.logs.askOnce(sessionId, (log) => {
      const [event] = log.read(0, { maxEvents: 1, maxBytes: 1 })
      return { first: event?.seq ?? 0, at: event?.at ?? 0 }
    })
    return beginning ?? { first: 0, at: 0 }
  }
}
