/**
 * Ends processes and everything that they start in the meantime. It first finds the descendants, because they cannot be
 * found after their parent ends; then it sends SIGTERM, waits, and sends SIGKILL to the rest.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isRunning, type ProcessIdentity, signal } from '@roundhouse/owner'

const LOOK_EVERY_MS = 50
/** A killed process may need a moment until the kernel has taken it down. */
const GONE_WITHIN_MS = 2_000

export interface EndOptions {
  /** Between SIGTERM and SIGKILL. */
  graceMs: number
  /** Who of those found is asked to end, and takes the others along; all of them unless told otherwise. */
  asked?(found: readonly ProcessIdentity[]): readonly ProcessIdentity[]
}

/** How many processes were found, were killed after the grace time, and are still there. */
export interface Ended {
  found: number
  killed: number
  left: number
}

export async function endProcesses(find: () => Promise<ProcessIdentity[]>, options: EndOptions): Promise<Ended> {
  const { graceMs, asked = (found) => found } = options
  const found = await find()
  for (const one of asked(found)) signal(one, 'SIGTERM')
  await untilGone(found, graceMs)
  // Processes that started in the meantime carry the mark as well.
  const all = unique([...found, ...(await find())])
  const stubborn = all.filter(isRunning)
  for (const one of stubborn) signal(one, 'SIGKILL')
  await untilGone(stubborn, GONE_WITHIN_MS)
  return { found: all.length, killed: stubborn.length, left: stubborn.filter(isRunning).length }
}

/** Or until the time is over. */
export async function untilGone(processes: readonly ProcessIdentity[], withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (processes.some(isRunning) && performance.now() < deadline) await delay(LOOK_EVERY_MS)
}

function unique(processes: ProcessIdentity[]): ProcessIdentity[] {
  return [...new Map(processes.map((one) => [`${one.pid} ${one.start}`, one])).values()]
}
