/** What a caller sees of a run, from its session and its log. Pure. */
import type {
  AgentDeliveryResult,
  AgentRunResult,
  CodedReason,
  RunSummary,
  SessionStatus,
  SessionSummary,
} from '@roundhouse/backend-types'
import { type AgentLogEvent, deliveryOf, type RunLog, resultSoFar, sideEffectsOf } from '@roundhouse/runtime/run'

/** Null for a session that is no run. */
export function runSummary(session: SessionSummary): RunSummary | null {
  const { sessionId: runId, run, agentId, agentName, agentOnline, unreachableSince, title, status } = session
  if (!run) return null
  const { backend, workDir, pendingRequests, createdAt, updatedAt } = session
  return {
    runId,
    onPermission: run.onPermission,
    agentId,
    agentName,
    agentOnline,
    ...(unreachableSince === undefined ? {} : { unreachableSince }),
    title,
    status,
    backend,
    workDir,
    pendingRequests,
    createdAt,
    updatedAt,
  }
}

/** Null: it is under way. */
export function resultOf(log: RunLog, status: SessionStatus, refused: ReadonlySet<string>): AgentDeliveryResult | null {
  const fact = endedBeside(log, status)
  const run = log.done ?? (fact && resultSoFar(log, { aborted: false, error: fact }))
  if (!run) return null
  return deliveryOf(run, sideEffectsOf(log.sent, refused), sentenceOf(run, fact ?? log.trouble))
}

/** As the bus tells it. Null: it is under way. */
export function outcomeOf({ done }: RunLog): 'completed' | 'failed' | 'stopped' | null {
  if (!done) return null
  if (done.aborted) return 'stopped'
  return done.errorSubtype === undefined ? 'completed' : 'failed'
}

/**
 * Why the session ended, where its log does not say so: its machine refused it, was revoked, or never took it (SES-5). Null: the
 * log does, or it has not ended.
 */
export function endedBeside(log: RunLog, status: SessionStatus): CodedReason | null {
  if (log.done || status.status !== 'ended') return null
  return status.error ?? { code: reasons[status.why] ?? 'stopped', message: '' }
}

const reasons: Partial<Record<Extract<SessionStatus, { status: 'ended' }>['why'], string>> = {
  agent_revoked: 'AGENT_REVOKED',
  deleted: 'SESSION_DELETED',
  resume_unavailable: 'RESUME_UNAVAILABLE',
  failed: 'INTERNAL',
}

/** A higher part number than any event of the log uses, so that these come last. */
const PART = 900

/** What the end without a word in the log says to whoever follows the run. */
export function eventsBeside(log: RunLog, fact: CodedReason): AgentLogEvent[] {
  const result = resultSoFar(log, { aborted: false, error: fact })
  return [
    { seq: log.seq, part: PART, event: { type: 'error', code: fact.code, message: sentenceOf(result, fact) ?? '' } },
    { seq: log.seq, part: PART + 1, event: { type: 'done', result } },
  ]
}

const sentences: Readonly<Record<string, string>> = {
  stopped: 'The run was stopped.',
  interrupted: 'The turn was interrupted.',
  error_max_turns: 'The program reached its limit of turns.',
  error_max_budget: 'The program reached its budget.',
  AGENT_REVOKED: 'The machine was revoked.',
}

function sentenceOf(
  { errorSubtype }: AgentRunResult,
  trouble: Pick<CodedReason, 'code' | 'message'> | null,
): string | undefined {
  if (errorSubtype === undefined) return undefined
  return (trouble?.code === errorSubtype && trouble.message) || sentences[errorSubtype]
}
