/**
 * Ends what a session leaves running. Every process below an app-server has the mark of that app-server in its
 * environment, and a command of the model its call as well; so they are found wherever they went, also those that left
 * their parent. A command that is ended while its sandbox is still being set up survives otherwise (seen under load).
 * Linux only: elsewhere nobody may read another process's environment. One that does not let itself be read is left alone.
 */
import type { AdapterContext } from '@roundhouse/backend-types'

/** Its value is the app-server's private TMPDIR, which a program that the owner puts before Codex may replace by another. */
export const PROGRAM_MARK = 'ROUNDHOUSE_CODEX'

const attempts = 20
const betweenMs = 100
/** A process that was being forked during one look is there at the next. */
const quietLooks = 2

/** With a `callId` only what that tool call started. */
export async function endLeftovers(
  markedBy: AdapterContext['markedBy'],
  tmpDir: string,
  callId?: string,
): Promise<void> {
  if (process.platform !== 'linux' || markedBy === undefined) return
  const marks = { [PROGRAM_MARK]: tmpDir, ...(callId === undefined ? {} : { CODEX_TOOL_CALL_ID: callId }) }
  for (let attempt = 0, quiet = 0; attempt < attempts && quiet < quietLooks; attempt += 1) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, betweenMs))
    const found = await markedBy(marks).catch(() => null) // nobody can look now
    quiet = found?.length === 0 ? quiet + 1 : 0
    for (const pid of found ?? []) kill(pid)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself between the look and the kill.
  }
}
