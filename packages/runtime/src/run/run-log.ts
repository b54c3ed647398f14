/**
 * A run, from the events of its session and nothing else: fold them in the order of their numbers, from the first one on.
 *
 *     begins ──► turn_started{prompt} ──► its turn_completed ──► done
 *        └──────────────┴── session_ended ────────────────────► done
 *
 * What comes after the end belongs to no run. The state is plain JSON, and stays small however long the log is.
 */
import type {
  AgentRunResult,
  CodedReason,
  HubOnlyEvent,
  PermissionDenial,
  SessionEvent,
  SessionEventOf,
} from '@roundhouse/backend-types'
import { type AgentLogEvent, agentEventsOf } from './agent-events'
import { textOf, withText } from './cut-text'
import { asking, deniedByProgram, resolved } from './denials'
import { addFigures, figuresOf, type TurnSums } from './figures'
import { type Sent, sentBy } from './side-effects'
import { exitCode, type Trouble, troubleOf, turnSubtype } from './troubles'

/** Where an event stands in its log, and the time to show (`StoredEvent`). */
export interface LogPlace {
  seq: number
  at: number
}

export interface RunLog {
  /** The last number that is in here, 0 before the first. */
  readonly seq: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The turn of the first prompt. */
  readonly turnId: string | null
  readonly text: string
  readonly backendSessionId: string | null
  /** Names of tools, by open request. */
  readonly asked: Readonly<Record<string, string>>
  readonly denials: readonly PermissionDenial[]
  /** The calls that are counted in `denials`. */
  readonly deniedCalls: readonly string[]
  readonly sent: readonly Sent[]
  readonly sums: TurnSums
  /** The code by which the program ended. A new turn forgets it. */
  readonly exit: string | null
  /** The last trouble that was told: the same is not told twice. */
  readonly trouble: Trouble | null
  /** Part of the log is lost. */
  readonly isTorn: boolean
  readonly done: AgentRunResult | null
}

export const emptyRun: RunLog = {
  seq: 0,
  startedAt: null,
  endedAt: null,
  turnId: null,
  text: '',
  backendSessionId: null,
  asked: {},
  denials: [],
  deniedCalls: [],
  sent: [],
  sums: {},
  exit: null,
  trouble: null,
  isTorn: false,
  done: null,
}

export interface Folded {
  run: RunLog
  /** What the event says to whoever follows the run, in order. */
  events: AgentLogEvent[]
}

/** `event` null: it cannot be read. */
export function foldRun(before: RunLog, event: SessionEvent | HubOnlyEvent | null, place: LogPlace): Folded {
  if (before.done) return { run: before, events: [] }
  const known = event && isSessionEvent(event) ? event : null
  const seq = known?.kind === 'gap' ? known.to : place.seq
  const begun = { ...before, seq, startedAt: before.startedAt ?? place.at, endedAt: place.at }
  if (!known) return { run: begun, events: [] }
  const trouble = troubleOf(known, before.trouble)
  const run = { ...begun, ...changeOf(begun, known), ...(trouble ? { trouble } : {}) }
  const done = doneBy(run, known)
  return { run: { ...run, done }, events: agentEventsOf(known, { seq: place.seq, trouble, done }) }
}

/**
 * What is known of a run so far. `error`: why it ended, where its log does not say it, because its machine refused it for
 * example.
 */
export function resultSoFar(run: RunLog, end: { aborted: boolean; error?: Pick<CodedReason, 'code'> }): AgentRunResult {
  return {
    text: run.text,
    ...(run.backendSessionId === null ? {} : { sessionId: run.backendSessionId }),
    durationMs: Math.max(0, (run.endedAt ?? 0) - (run.startedAt ?? 0)),
    ...figuresOf(run.sums),
    aborted: end.aborted,
    ...(end.error ? { errorSubtype: end.error.code } : {}),
    ...(run.denials.length > 0 ? { permissionDenials: [...run.denials] } : {}),
  }
}

const isSessionEvent = (event: SessionEvent | HubOnlyEvent): event is SessionEvent =>
  event.kind !== 'tombstone' && event.kind !== 'opaque'

/** Of what one program sent, the first ones count. */
const MOST_SENT = 1_000

function changeOf(run: RunLog, event: SessionEvent): Partial<RunLog> {
  switch (event.kind) {
    case 'session_started':
      return { backendSessionId: event.backendSessionId }
    case 'turn_started':
      return { exit: null, ...(run.turnId === null && event.trigger === 'prompt' ? { turnId: event.turnId } : {}) }
    case 'assistant_text':
      return event.parentCallId === undefined ? { text: withText(run.text, textOf(event.text)) } : {}
    case 'permission_requested':
      return asking(run, event)
    case 'permission_resolved':
      return resolved(run, event)
    case 'turn_completed':
      return { ...deniedByProgram(run, event), sums: addFigures(run.sums, event) }
    case 'process_exited':
      return { exit: exitCode(event) }
    case 'published':
    case 'session_request': {
      const sent = sentBy(event)
      return sent && run.sent.length < MOST_SENT && run.sent.every(({ id }) => id !== sent.id)
        ? { sent: [...run.sent, sent] }
        : {}
    }
    case 'gap':
      return { isTorn: true, asked: {} }
    default:
      return {}
  }
}

function doneBy(run: RunLog, event: SessionEvent): AgentRunResult | null {
  if (event.kind === 'session_ended') return endResult(run, event)
  if (event.kind !== 'turn_completed' || event.turnId !== run.turnId) return null
  const code = turnSubtype(event, run)
  const aborted = event.reason === 'interrupted' || code === 'stopped'
  return resultSoFar(run, { aborted, ...(code === undefined ? {} : { error: { code } }) })
}

/** The session ended, and the turn of the run is not known to have ended. */
function endResult(run: RunLog, { why }: SessionEventOf<'session_ended'>): AgentRunResult {
  if (run.trouble) return resultSoFar(run, { aborted: false, error: run.trouble })
  return resultSoFar(run, { aborted: why === 'stopped', error: { code: why } })
}
