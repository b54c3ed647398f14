/**
 * Tool calls that the hub answers (TREE-2): each is one event of the log, and its answer comes as a command. A call ends with its
 * answer, when its program gives up, when its time is over, or with its turn. An older hub never answers, so no call waits longer.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  CodedError,
  type ErrorCode,
  errorTable,
  TREE_REQUEST_BYTES,
  TREE_WAIT_SECONDS,
  type TreeAnswer,
  type TreeVerb,
} from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import type { Journal } from '../journal/journal'

export interface HubCallsPorts {
  journal: Pick<Journal, 'record'>
  place(): { procId?: string; turnId?: string }
  /** How long the hub may take, where nothing has to be waited for. */
  patienceMs?: number
}

export interface HubCall {
  /** The id of the call: a call that comes again is the same request. */
  requestId: string
  verb: TreeVerb
  input: Record<string, unknown>
  withdrawn: AbortSignal
}

const PATIENCE_MS = 120_000
/** Calls that were answered, for one that is repeated after its connection was lost. */
const KEPT = 64
/** Calls that the hub has not answered, for the same. Those that still wait are kept beside them. */
const KEPT_UNANSWERED = 1_024

type End = { kind: 'answer'; answer: TreeAnswer } | { kind: 'timeout' } | { kind: 'withdrawn' }

export class HubCalls {
  private readonly open = new Map<string, Set<(end: End) => void>>()
  private readonly asked = new Map<string, { verb: TreeVerb; written: Promise<unknown> }>()
  private readonly answers = new Map<string, TreeAnswer>()

  constructor(private readonly ports: HubCallsPorts) {}

  async ask(call: HubCall): Promise<Record<string, unknown>> {
    if (Buffer.byteLength(JSON.stringify(call.input)) > TREE_REQUEST_BYTES) throw new CodedError('MESSAGE_TOO_LARGE')
    const known = this.answers.get(call.requestId)
    if (known) return told(known)
    const ended = this.wait(call)
    await this.record(call)
    const end = await ended
    if (end.kind === 'answer') return told(end.answer)
    if (end.kind === 'withdrawn') throw new CodedError('REQUEST_GONE', 'The turn ended before the hub answered.')
    throw new CodedError(
      'QUESTION_TIMEOUT',
      'The hub did not answer in time, or is too old for this. It may still do it: read_session without a sessionId names the sessions that you started.',
    )
  }

  /** Without a call that waits, nobody needs it. */
  answer(requestId: string, answer: TreeAnswer): void {
    this.answers.set(requestId, answer)
    const [oldest] = this.answers.keys()
    if (this.answers.size > KEPT && oldest !== undefined) {
      this.answers.delete(oldest)
      this.asked.delete(oldest)
    }
    this.end(requestId, { kind: 'answer', answer })
  }

  /** The turn is over, and nobody reads what they get. The hub forgets waits as well. */
  dropAll(): void {
    for (const [requestId, { verb }] of this.asked) if (verb === 'wait') this.asked.delete(requestId)
    for (const requestId of [...this.open.keys()]) this.end(requestId, { kind: 'withdrawn' })
  }

  private end(requestId: string, end: End): void {
    const calls = this.open.get(requestId)
    this.open.delete(requestId)
    for (const call of calls ?? []) call(end)
  }

  /** Once, however often the call comes. */
  private record({ requestId, verb, input }: HubCall): Promise<unknown> {
    const before = this.asked.get(requestId)
    if (before) return before.written
    const event = { kind: 'session_request' as const, ...this.ports.place(), requestId, verb, input }
    const written = this.ports.journal.record([event]).then(() => failpoint('agent.published.beforeAnswer'))
    this.asked.set(requestId, { verb, written })
    this.forget()
    return written
  }

  private forget(): void {
    for (const requestId of this.asked.keys()) {
      if (this.asked.size <= KEPT_UNANSWERED) return
      if (!this.open.has(requestId)) this.asked.delete(requestId)
    }
  }

  private wait(call: HubCall): Promise<End> {
    const { requestId, withdrawn } = call
    return new Promise((resolve) => {
      const patience = new AbortController()
      const end = (how: End) => {
        calls.delete(end)
        if (calls.size === 0 && this.open.get(requestId) === calls) this.open.delete(requestId)
        patience.abort()
        withdrawn.removeEventListener('abort', drop)
        resolve(how)
      }
      const drop = () => end({ kind: 'withdrawn' })
      const calls = this.open.get(requestId) ?? new Set()
      if (withdrawn.aborted) return resolve({ kind: 'withdrawn' })
      withdrawn.addEventListener('abort', drop, { once: true })
      this.open.set(requestId, calls.add(end))
      delay(this.patienceOf(call), undefined, { signal: patience.signal, ref: false }).then(
        () => end({ kind: 'timeout' }),
        () => {},
      )
    })
  }

  private patienceOf({ verb, input }: HubCall): number {
    const { patienceMs = PATIENCE_MS } = this.ports
    if (verb !== 'wait') return patienceMs
    const seconds = typeof input.timeoutSeconds === 'number' ? input.timeoutSeconds : TREE_WAIT_SECONDS
    return seconds * 1_000 + patienceMs
  }
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

function told(answer: TreeAnswer): Record<string, unknown> {
  if (answer.ok) return answer.result
  const { code, message } = answer.error
  throw new CodedError(isCode(code) ? code : 'INTERNAL', message)
}
