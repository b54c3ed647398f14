/**
 * Ends what a program started and left behind when it exited by itself (RES-2): a command would continue without
 * anybody seeing or logging it. Such processes are found by the mark that all programs of this host carry.
 */
import { HOST_MARK } from '../host-contract/launch-spec'
import { endProcesses } from './end-processes'
import type { ReadMarks } from './mark-reader'
import { findSessionProcesses } from './session-processes'

const GRACE_MS = 2_000

/**
 * Resolves when no process with this host's mark is left; never rejects. Nothing else of this session may start
 * meanwhile. The program itself is gone, so a process whose mark cannot be read does not write this conversation.
 */
export async function endLeftovers(
  readMarks: ReadMarks,
  sessionId: string,
  launch = process.env[HOST_MARK],
): Promise<void> {
  const scope = { launch }
  const find = async () => (await findSessionProcesses(readMarks, sessionId, [], scope)).found
  await endProcesses(find, { graceMs: GRACE_MS }).catch((error: unknown) =>
    console.error('could not end what a program left behind', error),
  )
}
