/**
 * Ends what a session leaves running. Every process below an app-server has the mark of that app-server in its
 * environment, and a command of the model its call as well; so they are found wherever they went, also those that left
 * their parent. A command that is ended while its sandbox is still being set up survives otherwise (seen under load).
 * Linux only: elsewhere nobody may read another process's environment.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Its value is the app-server's private TMPDIR, which a program that the owner puts before Codex may replace by another. */
export const PROGRAM_MARK = 'ROUNDHOUSE_CODEX'

const attempts = 20
const betweenMs = 100
/** A process that was being forked during one look is there at the next. */
const quietLooks = 2

/** With a `callId` only what that tool call started. */
export async function endLeftovers(tmpDir: string, callId?: string): Promise<void> {
  if (process.platform !== 'linux') return
  const marks = [`${PROGRAM_MARK}=${tmpDir}`, ...(callId === undefined ? [] : [`CODEX_TOOL_CALL_ID=${callId}`])]
  for (let attempt = 0, quiet = 0; attempt < attempts && quiet < quietLooks; attempt += 1) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, betweenMs))
    const found = await processesWith(marks)
    quiet = found.length === 0 ? quiet + 1 : 0
    for (const pid of found) kill(pid)
  }
}

async function processesWith(marks: string[]): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found: number[] = []
  for (const pid of pids) {
    const environment = (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).split('\0')
    if (marks.every((mark) => environment.includes(mark))) found.push(Number(pid))
  }
  return found
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself between the look and the kill.
  }
}
