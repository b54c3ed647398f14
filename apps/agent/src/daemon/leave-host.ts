/** How a host is asked to leave. It may be busy, or frozen in the middle of something: nobody waits for it without end. */
import { setTimeout as delay } from 'node:timers/promises'
import { bootId, isRunning, type ProcessIdentity } from '@roundhouse/owner'
import type { HostClient } from '../host-contract/client'
import type { StopHow } from '../host-contract/messages'

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
export type Leaving = Exclude<StopHow, 'end_process'> | 'makes_way'

export const late: unique symbol = Symbol('late')

/** `disconnected`: its connection is over. `stays`: it is busy, or does not say, and an idle one was meant. */
export async function askToLeave(
  client: HostClient,
  how: Leaving,
  { answerMs, leaveMs }: Patience,
): Promise<'left' | 'stays' | 'late'> {
  const { pid, start } = client.hello
  const gone = client.closed.then(() => untilExited({ pid, start, bootId: bootId() }))
  const answer = await within(
    answerMs,
    client.stop(how).catch(() => ({ stopped: true })),
  )
  if (how === 'idle' && (answer === late || !answer.stopped)) return 'stays'
  return answer !== late && (await within(leaveMs, gone)) !== late ? 'left' : 'late'
}

/** Its goodbye is said a moment before it is gone. */
async function untilExited(host: ProcessIdentity): Promise<void> {
  for (const deadline = performance.now() + LEAVE_LIMIT_MS; isRunning(host) && performance.now() < deadline; )
    await delay(RETRY_MS)
}

export const within = <T>(ms: number, work: Promise<T>): Promise<T | typeof late> =>
  Promise.race([work, delay(ms, late, { ref: false })])
