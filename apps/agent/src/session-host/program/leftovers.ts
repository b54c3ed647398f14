/**
 * What a program had started and left behind when it went by itself (RES-2): a command that it was running would go on, and
 * nobody would see or log what it does. Found by the mark that all of this host's programs carry.
 */
import { HOST_MARK } from '../../host-contract/launch-spec'
import { endProcesses } from '../../processes/end-processes'
import type { ReadMarks } from '../../processes/mark-reader'
import { findSessionProcesses } from '../../processes/session-processes'

const GRACE_MS = 2_000

/**
 * Resolves when nothing of it is left that says whose it is; never rejects. Nothing else of this session may be started
 * meanwhile. The program itself is gone: whatever cannot be read is none that would write this conversation.
 */
export async function endLeftovers(readMarks: ReadMarks, sessionId: string): Promise<void> {
  const scope = { launch: process.env[HOST_MARK] }
  const find = async () => (await findSessionProcesses(readMarks, sessionId, [], scope)).found
  await endProcesses(find, { graceMs: GRACE_MS }).catch((error: unknown) =>
    console.error('what a program left behind could not be ended', error),
  )
}
