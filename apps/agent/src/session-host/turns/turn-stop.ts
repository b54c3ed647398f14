/**
 * What a person stops does stop (CMD-5): the program is asked to, and one that has not obeyed in time is ended, and its
 * turn with it. The Claude Code adapter ends its program by itself, earlier than that; Codex 0.169.0 may be asked in vain.
 */
import { setTimeout as delay } from 'node:timers/promises'

/** How long a program may take from the interrupt to the end of its turn. */
const STOP_LIMIT_MS = 30_000

/** The same for one that waits on its pipe: it may not hear it, and its end would not be heard (FLOW-2). */
const STOP_LIMIT_UNREAD_MS = 2_000

export interface StopPorts {
  /** The output of the program is left in its pipe. */
  isHeld(): boolean
  /** The turn goes on, and nobody ends its program yet. */
  isOpen(): boolean
  endProcess(): Promise<void>
}

/** Resolves when the program has heard it or was ended; rejects with the error of a program that refuses. */
export async function stopTurn(ask: () => Promise<void>, ports: StopPorts, limitMs = STOP_LIMIT_MS): Promise<void> {
  const held = ports.isHeld()
  const heard = ask().catch((error: unknown) => {
    // One that waits on its pipe is looked at below; one that was ended could not answer.
    if (!held && ports.isOpen()) throw error
  })
  const limit = endAfter(limitMs, ports.isOpen, ports)
  // Whoever asked may be gone by then.
  limit.catch(() => {})
  if (held) await endAfter(STOP_LIMIT_UNREAD_MS, () => ports.isOpen() && ports.isHeld(), ports)
  else await Promise.race([heard, limit])
}

async function endAfter(ms: number, isDue: () => boolean, { endProcess }: StopPorts): Promise<void> {
  await delay(ms, undefined, { ref: false })
  if (isDue()) await endProcess()
}
