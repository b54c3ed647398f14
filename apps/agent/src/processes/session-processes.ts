/**
 * Finds all processes of one session: recorded ones, their descendants by parent, and processes with the session's mark in
 * their environment. Only the mark finds a program that moved itself under init, so all three are used. A process whose
 * environment cannot be read belongs to no session: it is never ended, and if it may be the session's, nothing starts beside
 * it.
 */
import { bootId, listProcesses, type ProcessIdentity, type ProcessRow } from '@roundhouse/owner'
import { FOLDER_MARK, HOST_MARK, SESSION_MARK } from '../host-contract/launch-spec'
import type { IsOwn } from '../host-contract/session-folder'
import type { ReadMarks } from './mark-reader'
import type { Marks } from './marks-asked'

/** Which processes with the session's mark are meant. */
export interface Scope {
  /** Only those of one launch of its host. */
  launch?: string | undefined
  /** Only those of this folder of the session; absent: of any. */
  isOwn?: IsOwn | undefined
}

export interface SessionProcesses {
  found: ProcessIdentity[]
  /** Nobody can say whose they are. */
  unread: ProcessIdentity[]
}

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

/**
 * Pure part: who of those that could not be read may belong to a host that began then (`null`: nobody knows when). None that
 * was there before it; and none whose terminal session began before it or was begun by somebody without a mark, since a
 * process comes into such a session by its parent alone.
 */
export function mayBeOf(
  host: ProcessIdentity | null,
  rows: readonly ProcessRow[],
  unread: ReadonlySet<number>,
  found: ReadonlySet<number>,
  boot: string,
): ProcessIdentity[] {
  if (host !== null && host.bootId !== boot) return []
  const wasBefore = (row: ProcessRow) => host !== null && Number(row.start) < Number(host.start)
  const begunElsewhere = ({ pid, sid }: ProcessRow) => {
    const leader = sid === pid ? undefined : rows.find((row) => row.pid === sid)
    return leader !== undefined && (wasBefore(leader) || !(unread.has(leader.pid) || found.has(leader.pid)))
  }
  return rows
    .filter((row) => unread.has(row.pid) && !found.has(row.pid) && !row.zombie)
    .filter((row) => !wasBefore(row) && !begunElsewhere(row))
    .map((row) => ({ pid: row.pid, start: row.start, bootId: boot }))
}

/** `host`: of which all those recorded are. Rejects with a code that passes where nobody can look now. */
export async function findSessionProcesses(
  readMarks: ReadMarks,
  sessionId: string,
  recorded: readonly ProcessIdentity[],
  scope: Scope = {},
  host: ProcessIdentity | null = null,
): Promise<SessionProcesses> {
  const { marks, unread } = await readMarks([SESSION_MARK, HOST_MARK, FOLDER_MARK])
  const marked = [...marks].filter(([, one]) => isMeant(one, sessionId, scope)).map(([pid]) => pid)
  const rows = listProcesses()
  const found = select(rows, recorded, new Set(marked))
  const known = new Set(found.map(({ pid }) => pid))
  return { found, unread: mayBeOf(host, rows, unread, known, bootId()) }
}

/** Finds only what was recorded: used where nobody can look for marks, and where the host itself is meant. */
export const findRecorded = (recorded: readonly ProcessIdentity[]): ProcessIdentity[] =>
  select(listProcesses(), recorded, new Set())

const select = (rows: readonly ProcessRow[], recorded: readonly ProcessIdentity[], marked: ReadonlySet<number>) =>
  selectSessionProcesses(rows, recorded, marked, bootId(), new Set([process.pid]))

function isMeant(marks: Marks, sessionId: string, { launch, isOwn = () => true }: Scope): boolean {
  if (marks[SESSION_MARK] !== sessionId || (launch !== undefined && marks[HOST_MARK] !== launch)) return false
  return isOwn(marks[FOLDER_MARK] ?? null)
}
