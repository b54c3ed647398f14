/**
 * Kernels with one thing wrong. The simulator must find each of them within the seeds of an ordinary run; otherwise it
 * proves nothing about the right one.
 */
import { type EventEnvelope, lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'
import { SendPlanner } from '../index'
import { type Kernel, kernel } from './kernel'

export interface Mutant {
  what: string
  /** The invariant or rule that is broken; others may notice first. */
  breaks: string
  /** A seed that is known to find it. When the simulator changes, another one does. */
  foundBy: number
  change: Partial<Kernel>
}

const { acceptBatch, receiveEvents, decide, beginApply } = kernel

/** Stores whatever is asked of it. */
function storeAll(events: readonly EventEnvelope[], committed: number, logId: string) {
  const last = events.at(-1)
  const reached = last ? lastSeqOf(last) : committed
  return { kind: 'store' as const, events: [...events], duplicates: 0, committed: reached, acked: reached, logId }
}

export const mutants: readonly Mutant[] = [
  { what: 'the hub believes damaged bytes', breaks: 'BAD-2', foundBy: 4, change: { comparesHashes: false } },
  { what: 'the hub acks before the flush', breaks: 'I4', foundBy: 26, change: { ackAfterFlush: false } },
  { what: 'the agent sends before the flush', breaks: 'I1', foundBy: 57, change: { sendAfterFlush: false } },
  {
    what: 'duplicates are stored again',
    breaks: 'I1',
    foundBy: 3,
    change: {
      acceptBatch: (stream, logId, events, hashAt) => {
        const decision = acceptBatch(stream, logId, events, hashAt)
        return decision.kind === 'store' && decision.duplicates > 0
          ? storeAll(events, stream.committed, logId)
          : decision
      },
    },
  },
  {
    what: 'a gap in the numbers is accepted',
    breaks: 'I2',
    foundBy: 6,
    change: {
      acceptBatch: (stream, logId, events, hashAt) => {
        const decision = acceptBatch(stream, logId, events, hashAt)
        const gap = decision.kind === 'refuse' && decision.code === 'SEQ_GAP'
        return gap ? storeAll(events, stream.committed, logId) : decision
      },
    },
  },
  {
    what: 'another event under a stored number counts as duplicate',
    breaks: 'I1',
    foundBy: 3,
    change: {
      acceptBatch: (stream, logId, events) => acceptBatch({ ...stream, logId }, logId, events, () => undefined),
    },
  },
  {
    what: 'the hub answers with all that it has instead of what the batch reached',
    breaks: 'I1',
    foundBy: 6,
    change: {
      acceptBatch: (...args) => {
        const decision = acceptBatch(...args)
        return decision.kind === 'store' ? { ...decision, acked: decision.committed } : decision
      },
    },
  },
  {
    what: 'another log is taken for the same',
    breaks: 'I1',
    foundBy: 17,
    change: {
      judgeReport: (report, known, hubEpoch) => {
        const sameLog = known.state === 'known' ? { ...known, stream: { ...known.stream, logId: report.logId } } : known
        return kernel.judgeReport(report, sameLog, hubEpoch)
      },
      acceptBatch: (stream, logId, events, hashAt) => acceptBatch({ ...stream, logId }, logId, events, hashAt),
    },
  },
  {
    what: 'nobody notices that the hub was put back by hand',
    breaks: 'I3',
    foundBy: 5,
    change: { judgeReport: (report, known) => kernel.judgeReport(report, known, 'no epoch') },
  },
  { what: 'old connections are not fenced', breaks: 'LINK-3', foundBy: 94, change: { isFenced: () => false } },
  {
    what: 'what may have been lost is not compared',
    breaks: 'I1',
    foundBy: 2,
    change: {
      makePlanner: (...args) =>
        new (class extends SendPlanner {
          override verdict(...[verdict, log]: Parameters<SendPlanner['verdict']>) {
            return super.verdict(verdict, { ...log, acked: log.head, ackedEpoch: args[1] })
          }
        })(...args),
    },
  },
  {
    what: 'a rebase leaves the numbers as they are',
    breaks: 'I11',
    foundBy: 2,
    change: { rebaseEvents: (events) => [...events] },
  },
  {
    what: 'holes are sent without a gap',
    breaks: 'I11',
    foundBy: 149,
    change: { fillHoles: (_after, _upTo, rows) => [...rows] },
  },
  {
    what: 'a viewer applies what comes, in the order it comes',
    breaks: 'I5',
    foundBy: 3,
    change: {
      receiveEvents: (cursor, events) => {
        const last = Math.max(cursor.last, ...events.map(lastSeqOf))
        return { cursor: { ...cursor, last }, apply: [...events], missing: null }
      },
    },
  },
  {
    what: 'a viewer asks for nothing that it misses',
    breaks: 'I5',
    foundBy: 3,
    change: {
      receiveEvents: (cursor, events: readonly StoredEvent[]) => ({ ...receiveEvents(cursor, events), missing: null }),
      receiveHead: () => null,
    },
  },
  {
    what: 'a repeated command runs again',
    breaks: 'I8',
    foundBy: 5,
    change: { receiveCommand: () => ({ kind: 'record' }) },
  },
  {
    what: 'a command that was cut off by a crash runs again',
    breaks: 'I8',
    foundBy: 1,
    change: {
      recoverCommand: (row, logLost) => (row.state === 'started' ? 'run' : kernel.recoverCommand(row, logLost)),
      startCommand: (row) => ({ ...row, state: 'started' }),
    },
  },
  {
    what: 'commands of a lost log run again',
    breaks: 'I8',
    foundBy: 215,
    change: { recoverCommand: (row) => kernel.recoverCommand(row, false) },
  },
  {
    what: 'commands are sent before the rebase',
    breaks: 'I8',
    foundBy: 6,
    change: { holdCommandsWhileStopped: false },
  },
  {
    what: 'a prompt is done before the hub has its events',
    breaks: 'REB-1',
    foundBy: 545,
    change: { newsCounts: () => true },
  },
  {
    what: 'a restored hub trusts its old commands',
    breaks: 'CMD-4',
    foundBy: 854,
    change: { askAgainAfterRestore: false },
  },
  {
    what: 'commands are sent all at once',
    breaks: 'CMD-2',
    foundBy: 6,
    change: { commandsToSend: (rows) => rows.filter(({ state }) => state === 'pending' || state === 'sent') },
  },
  {
    what: 'a sent command expires without asking the agent',
    breaks: 'CMD-4',
    foundBy: 537,
    change: {
      commandStep: (state, input) =>
        input === 'expire' && state === 'sent' ? 'expired' : kernel.commandStep(state, input),
    },
  },
  {
    what: 'a later decision overwrites the first',
    breaks: 'I6',
    foundBy: 1,
    change: { decide: (register, attempt) => decide({ ...register, decision: null }, attempt) },
  },
  {
    what: 'a decision goes through although the action has changed',
    breaks: 'I7',
    foundBy: 3,
    change: {
      beginApply: (ledger, incoming, now) => beginApply(ledger, incoming, { ...now, currentDigest: incoming.digest }),
    },
  },
  { what: 'a grant covers everything', breaks: 'I7', foundBy: 31, change: { grantCovers: () => true } },
  { what: 'the CLI is told before it is on disk', breaks: 'I6', foundBy: 3, change: { applyAfterFlush: false } },
  { what: 'a dead turn is left open', breaks: 'LOG-7', foundBy: 1, change: { closeAfterCrash: () => [] } },
  {
    what: 'a gap closes nothing',
    breaks: 'I11',
    foundBy: 3,
    change: {
      projectEvent: (before, event, seq, at) => {
        const projected = kernel.projectEvent(before, event, seq, at)
        return event.kind === 'gap'
          ? { projection: { ...before, seq: projected.projection.seq }, effects: [] }
          : projected
      },
    },
  },
  {
    what: 'an older account of a host wins over stored events',
    breaks: 'LINK-5',
    foundBy: 569,
    change: {
      mergeHostState: (_projection, latest, incoming) => incoming ?? latest,
      viewStatus: (_p, state) => state?.status ?? { status: 'idle' },
    },
  },
  {
    what: 'live text is put together without looking at its offset',
    breaks: 'LOG-5',
    foundBy: 12,
    change: {
      applyFrame: (blocks, frame) => {
        const length = blocks.open.find(({ blockId }) => blockId === frame.blockId)?.text.length ?? 0
        return kernel.applyFrame(blocks, { ...frame, offset: length })
      },
    },
  },
]
