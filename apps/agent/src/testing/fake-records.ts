/** What the fake hub has of each session, and what it says to batches and reports: by the rules of the protocol, or by a fault. */
import {
  CodedError,
  type EventBatch,
  type EventEnvelope,
  lastSeqOf,
  type SessionReport,
  type Verdict,
} from '@roundhouse/backend-types'
import { acceptBatch, judgeReport } from '@roundhouse/delivery'

export type Faults = {
  /** Batches to swallow without storing or answering. */
  swallowBatches: number
  /** Batches to store without answering, cutting the link instead. */
  cutAfterStore: number
  /** Batches to answer with SEQ_GAP as if they had been lost before. */
  loseBatches: number
  /** Batches to answer with FENCED. */
  fenceBatches: number
  /** Refuse the next upgrades. */
  refuseUpgrades: number
  /** Tell the next connections that a person has to admit the agent first. */
  notAdmitted: number
}

export class FakeRecords {
  /** sessionId -> stored events. */
  readonly sessions = new Map<string, EventEnvelope[]>()
  /** sessionId -> the log its events came from. */
  readonly logIds = new Map<string, string>()
  readonly deleted = new Set<string>()
  readonly batches: EventBatch[] = []
  duplicates = 0
  /** Sessions of which storing fails here in a way that nobody foresaw. */
  readonly failing = new Set<string>()
  /** Sessions whose stream is blocked. */
  readonly blocked = new Set<string>()
  readonly faults: Faults = {
    swallowBatches: 0,
    cutAfterStore: 0,
    loseBatches: 0,
    fenceBatches: 0,
    refuseUpgrades: 0,
    notAdmitted: 0,
  }
  private readonly stopped = new Set<string>()

  judge(report: SessionReport): Verdict {
    const { sessionId } = report
    if (this.deleted.has(sessionId)) return { sessionId, verdict: 'deleted' }
    const stored = this.sessions.get(sessionId)
    if (!stored) this.sessions.set(sessionId, [])
    const known = stored
      ? ({ state: 'known', stream: this.streamOf(sessionId) } as const)
      : ({ state: 'unknown' } as const)
    // A hub that is put back is what a test does on purpose, with an epoch of its own.
    const verdict = judgeReport(report, known, '')
    if ('kind' in verdict) throw new CodedError('INTERNAL')
    if (verdict.verdict === 'rebase') this.stopped.add(sessionId)
    else this.stopped.delete(sessionId)
    return verdict
  }

  private streamOf(sessionId: string) {
    const committed = committedOf(this.sessions.get(sessionId) ?? [])
    const logId = this.logIds.get(sessionId) ?? null
    return { logId, committed, malformed: 0, blocked: false, stopped: this.stopped.has(sessionId) }
  }

  store(batch: EventBatch, cut: () => void): object | null {
    this.batches.push(batch)
    if (take(this.faults, 'swallowBatches')) return null
    if (take(this.faults, 'fenceBatches')) throw new CodedError('FENCED')
    if (this.blocked.has(batch.sessionId)) throw new CodedError('SESSION_BLOCKED')
    if (this.failing.has(batch.sessionId)) throw new CodedError('INTERNAL')
    const stored = this.sessions.get(batch.sessionId) ?? []
    if (take(this.faults, 'loseBatches')) throw gap(stored)
    const stream = this.streamOf(batch.sessionId)
    const hashAt = (seq: number) => stored.find((event) => event.seq === seq)?.hash
    const decision = acceptBatch(stream, batch.logId, batch.events, hashAt)
    if (decision.kind === 'refuse') {
      const { kind, code, ...details } = decision
      if (code === 'SEQ_CONFLICT') this.stopped.add(batch.sessionId)
      throw new CodedError(code, undefined, details)
    }
    stored.push(...decision.events)
    this.logIds.set(batch.sessionId, decision.logId)
    if (decision.events.length > 0) this.stopped.delete(batch.sessionId)
    this.duplicates += decision.duplicates
    this.sessions.set(batch.sessionId, stored)
    if (take(this.faults, 'cutAfterStore')) {
      cut()
      return null
    }
    return { acked: decision.acked }
  }
}

const gap = (stored: EventEnvelope[]) => new CodedError('SEQ_GAP', undefined, { expected: committedOf(stored) + 1 })

const committedOf = (stored: EventEnvelope[]): number => {
  const last = stored.at(-1)
  return last ? lastSeqOf(last) : 0
}

export function take(faults: Faults, name: keyof Faults): boolean {
  if (faults[name] === 0) return false
  faults[name] -= 1
  return true
}
