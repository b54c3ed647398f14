/**
 * Classifies a session's host (RES-6) by whether its socket answers, its processes live and its lock is held. The socket is
 * checked first: pids only decide about killing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { InTheWay, isFileLocked, type ProcessIdentity } from '@roundhouse/owner'
import { codedIfInTheWay } from '../files/read-if-there'
import { connectHost } from '../host-contract/client'
import { doorIn, elsewhereOf, type HostDoor, isOwnIn, recordIn } from '../host-contract/host-door'
import { sessionFiles } from '../host-contract/paths'
import type { HostElsewhere } from '../host-contract/session-folder'
import type { ReadMarks } from './mark-reader'
import { findSessionProcesses } from './session-processes'

export type HostClass =
  | { class: 'attached' }
  /** Nothing of it lives: start a host in mode `close`. */
  | { class: 'dead' }
  /** Programs work on without a host: end them (`endSession` of the reaper) before anything else. */
  | { class: 'orphan'; processes: ProcessIdentity[]; unread: ProcessIdentity[] }
  /** Nothing of it was found, and these do not say whose they are: nothing is started, and none of them is ended. */
  | { class: 'unread'; unread: ProcessIdentity[] }
  /** This folder is a copy, and the host that is recorded in it lives for another one. */
  | ({ class: 'elsewhere' } & HostElsewhere)
  /** It holds its lock and does not answer. `movedFrom`: its folder had that path when it started. */
  | { class: 'stuck'; movedFrom?: string }

const PROBE_EVERY_MS = 100
/** The time of one try: it may listen elsewhere in the meantime. */
const ANSWER_WITHIN_MS = 2_000

/**
 * `patienceMs`: how long a host that holds its lock may take to answer, while it starts for example, or listens anew. Where
 * none of its files can be read, its lock and its mark still tell that it lives.
 */
export async function classify(
  sessionId: string,
  sessionDir: string,
  socketKey: Buffer,
  readMarks: ReadMarks,
  patienceMs = 2_000,
): Promise<HostClass> {
  const files = sessionFiles(sessionDir)
  const deadline = performance.now() + patienceMs
  let locked: boolean
  do {
    const door = doorIn(sessionDir, socketKey)
    if (door && (await answers(door, Math.min(patienceMs, ANSWER_WITHIN_MS)))) return { class: 'attached' }
    locked = isLocked(files.lock)
    if (locked) await delay(PROBE_EVERY_MS)
  } while (locked && performance.now() < deadline)
  const elsewhere = locked ? null : elsewhereOf(sessionDir)
  if (elsewhere) return { class: 'elsewhere', ...elsewhere }
  const record = recordIn(sessionDir)
  const host = record && { pid: record.pid, start: record.start, bootId: record.bootId }
  const recorded = host ? [host, ...record.procs] : []
  if (locked) {
    const movedFrom = record?.dir === undefined || record.dir === sessionDir ? {} : { movedFrom: record.dir }
    return { class: 'stuck', ...movedFrom }
  }
  const scope = { isOwn: isOwnIn(sessionDir) }
  const { found, unread } = await findSessionProcesses(readMarks, sessionId, recorded, scope, host)
  if (found.length > 0) return { class: 'orphan', processes: found, unread }
  return unread.length > 0 ? { class: 'unread', unread } : { class: 'dead' }
}

async function answers(door: HostDoor, timeoutMs: number): Promise<boolean> {
  try {
    const client = await connectHost({ ...door, timeoutMs })
    client.close()
    return true
  } catch {
    return false
  }
}

/** Whether a living process holds the session. Never call it in the host itself: closing the file drops its lock. */
function isLocked(lockFile: string): boolean {
  try {
    return isFileLocked(lockFile)
  } catch (error) {
    // Then nobody can tell, until it is moved away.
    if (error instanceof InTheWay) throw codedIfInTheWay(error)
    return true
  }
}
