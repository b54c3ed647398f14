/** Asks a host to leave. It may be busy or frozen, so the wait is limited. */
import { setTimeout as delay } from 'node:timers/promises'
import type { HostState } from '@roundhouse/backend-types'
import { bootId, isRunning, type ProcessIdentity } from '@roundhouse/owner'
import type { HostClient } from '../../../host-contract/client'
import type { StopHow } from '../../../host-contract/messages'

export const LEAVE_LIMIT_MS = 20_000
const RETRY_MS = 15

export interface Patience {
  /** Until it says whether it leaves. */
  answerMs: number
  /** And then until it is gone. */
  leaveMs: number
}

export const usualPatience: Patience = { answerMs: LEAVE_LIMIT_MS, leaveMs: LEAVE_LIMIT_MS }

/** `makes_way`: for another host of the session; nobody wants it to rest. */
export type Leaving = StopHow | 'makes_way'

export const late: unique symbol = Symbol('late')

/** `stays`: it is busy, and an idle one was meant. `silent`: an idle one was meant, and it does not say. */
export async function askToLeave(
  client: HostClient,
  how: Leaving,
  { answerMs, leaveMs }: Patience,
): Promise<'left' | 'stays' | 'silent' | 'late'> {
  const { pid, start } = client.hello
  const gone = client.closed.then(() => untilExited({ pid, start, bootId: bootId() }))
  const answer = await within(
    answerMs,
    client.stop(how).catch(() => ({ stopped: true })),
  )
  if (answer === late) return how === 'idle' ? 'silent' : 'late'
  if (how === 'idle' && !answer.stopped) return 'stays'
  return (await within(leaveMs, gone)) === late ? 'late' : 'left'
}

/** Its last account says that nothing runs and no request is open, so its end ends no work. */
export function restsByAccount(state: HostState | null): boolean {
  if (!state || state.turnId !== undefined || !resting.has(state.status.status)) return false
  const { requests, openRequests = requests.length, background = [] } = state
  return openRequests === 0 && background.length === 0
}

const resting: ReadonlySet<HostState['status']['status']> = new Set(['idle', 'resumable', 'ended'])

/** Its goodbye is said a moment before it is gone. */
async function untilExited(host: ProcessIdentity): Promise<void> {
  for (const deadline = performance.now() + LEAVE_LIMIT_MS; isRunning(host) && performance.now() < deadline; )
    await delay(RETRY_MS)
}

export const within = <T>(ms: number, work: Promise<T>): Promise<T | typeof late> =>
  Promise.race([work, delay(ms, late, { ref: false })])
