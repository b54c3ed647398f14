/**
 * Ends every process that has a mark in its environment, wherever it went: also one that left its parent. Linux only: elsewhere
 * nobody may read another process's environment. One that does not let itself be read is left alone.
 */
import type { AdapterContext } from '@roundhouse/backend-types'

const attempts = 20
const betweenMs = 100
/** A process that was being forked during one look is there at the next. */
const quietLooks = 2

export async function endMarked(
  markedBy: AdapterContext['markedBy'],
  marks: Readonly<Record<string, string>>,
): Promise<void> {
  if (process.platform !== 'linux' || markedBy === undefined) return
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
