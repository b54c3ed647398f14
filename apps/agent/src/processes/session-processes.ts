/**
 * All processes of one session: those recorded, their descendants by parent, and whoever carries the session's mark in
 * its environment. Only the mark finds a program that put itself under init, so all three are asked.
 */
import { bootId, listProcesses, type ProcessIdentity, type ProcessRow } from '@roundhouse/owner'
import { listMarked, type Scope } from './marked'

/** Pure part: which rows belong, given what was recorded and who is marked. `except` and their marks are left out. */
export function selectSessionProcesses(
  rows: readonly ProcessRow[],
  recorded: readonly ProcessIdentity[],
  marked: ReadonlySet<number>,
  boot: string,
  except: ReadonlySet<number>,
): ProcessIdentity[] {
  const isRecorded = (row: ProcessRow) =>
    recorded.some((known) => known.pid === row.pid && known.start === row.start && known.bootId === boot)
  const found = new Set(rows.filter((row) => isRecorded(row) || marked.has(row.pid)).map((row) => row.pid))
  // Rows come in no order, so go round until no child is added.
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const row of rows) if (found.has(row.ppid) && !except.has(row.ppid)) found.add(row.pid)
  }
  return rows
    .filter((row) => found.has(row.pid) && !row.zombie && !except.has(row.pid))
    .map((row) => ({ pid: row.pid, start: row.start, bootId: boot }))
}

export function findSessionProcesses(
  sessionId: string,
  recorded: readonly ProcessIdentity[],
  scope: Scope = {},
): ProcessIdentity[] {
  const marked = listMarked(sessionId, scope)
  return selectSessionProcesses(listProcesses(), recorded, marked, bootId(), new Set([process.pid]))
}
