/**
 * What a program had started and left behind when it went by itself (RES-2): a command that it was running would go on, and
 * nobody would see or log what it does. Found by the mark that all of this host's programs carry.
 */
import { HOST_MARK } from '../host-contract/launch-spec'
import { endProcesses } from '../processes/end-processes'
import { findSessionProcesses } from '../processes/session-processes'

const GRACE_MS = 2_000

/** Resolves when nothing of it is left; never rejects. Nothing else of this session may be started meanwhile. */
export async function endLeftovers(sessionId: string): Promise<void> {
  const find = () => findSessionProcesses(sessionId, [], { launch: process.env[HOST_MARK] })
  await endProcesses(find, { graceMs: GRACE_MS }).catch((error: unknown) =>
    console.error('what a program left behind could not be ended', error),
  )
}
