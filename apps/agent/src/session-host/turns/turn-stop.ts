/**
 * Ensures that a stop by a person takes effect (CMD-5): asks the program first, and ends a program that has not obeyed
 * in time, together with its turn. The Claude Code adapter ends its program earlier by itself; Codex 0.169.0 may ignore
 * the request.
 */
import { setTimeout as delay } from 'node:timers/promises'

/** How long a program may take from the interrupt to the end of its turn. */
const STOP_LIMIT_MS = 30_000

/** The same if its output is not being read: it may not notice the interrupt, and nobody would hear its end (FLOW-2). */
const STOP_LIMIT_UNREAD_MS = 2_000

export interface StopPorts {
  /** The host does not read the program's output now. */
  isHeld(): boolean
  /** The turn continues, and nobody is ending its program yet. */
  isOpen(): boolean
  endProcess(): Promise<void>
}

/** Resolves when the program has obeyed or was ended. Rejects with the error of a program that refuses. */
export async function stopTurn(ask: () => Promise<void>, ports: StopPorts, limitMs = STOP_LIMIT_MS): Promise<void> {
  const held = ports.isHeld()
  const heard = ask().catch((error: unknown) => {
    // A held program is handled below; a program that was ended could not reply.
    if (!held && ports.isOpen()) throw error
  })
  const limit = endAfter(limitMs, ports.isOpen, ports)
  // The caller may be gone by then.
  limit.catch(() => {})
  if (held) await endAfter(STOP_LIMIT_UNREAD_MS, () => ports.isOpen() && ports.isHeld(), ports)
  else await Promise.race([heard, limit])
}

async function endAfter(ms: number, isDue: () => boolean, { endProcess }: StopPorts): Promise<void> {
  await delay(ms, undefined, { ref: false })
  if (isDue()) await endProcess()
}
