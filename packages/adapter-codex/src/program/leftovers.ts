/**
 * Ends what a session leaves running. Every process below an app-server has the mark of that app-server in its environment,
 * and a command of the model its call as well. A command that is ended while its sandbox is still being set up survives
 * otherwise (seen under load).
 */
import { endMarked } from '@roundhouse/adapter-kit'
import type { AdapterContext } from '@roundhouse/backend-types'

/** Its value is the app-server's private TMPDIR, which a program that the owner puts before Codex may replace by another. */
export const PROGRAM_MARK = 'ROUNDHOUSE_CODEX'

/** With a `callId` only what that tool call started. */
export const endLeftovers = (markedBy: AdapterContext['markedBy'], tmpDir: string, callId?: string): Promise<void> =>
  endMarked(markedBy, { [PROGRAM_MARK]: tmpDir, ...(callId === undefined ? {} : { CODEX_TOOL_CALL_ID: callId }) })
