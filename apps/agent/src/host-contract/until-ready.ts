/** Retries a connection to a host that was just launched, until the host listens. */
import { setTimeout as delay } from 'node:timers/promises'
import { isLack } from '@roundhouse/backend-types'

const TRY_EVERY_MS = 15

export interface Patience {
  limitMs: number
  /** The process that should answer; its end is the end of trying. */
  exited?: Promise<unknown> | undefined
}

/** Rejects with what the last try did: the process has ended, it took too long, or more tries would not help. */
export async function untilReady<T>(attempt: () => Promise<T>, { limitMs, exited }: Patience): Promise<T> {
  const deadline = performance.now() + limitMs
  let over = false
  const end = () => {
    over = true
  }
  exited?.then(end, end)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (over || !isNobodyThere(error) || performance.now() > deadline) throw error
      await delay(TRY_EVERY_MS)
    }
  }
}

/** A host that is on its way, or on a machine that is very busy; or the one before it, which has another secret, is just leaving. */
const notYet: ReadonlySet<string> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'REQUEST_GONE',
  'BACKEND_TIMEOUT',
  'AUTH_FAILED',
])

function isNobodyThere(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return (typeof code === 'string' && notYet.has(code)) || isLack(error)
}
