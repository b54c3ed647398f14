/**
 * What became of a session's host (RES-6), told apart by whether its socket answers, its processes live and its lock is
 * held. The socket is asked first: pids only ever decide about killing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { connectHost } from '../host-contract/client'
import { doorOf, type HostDoor, readAs } from '../host-contract/host-door'
import { HostRecord, LaunchSpec } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import type { ProcessIdentity } from './identity'
import { findSessionProcesses } from './session-processes'

export type HostClass =
  | { class: 'attached' }
  /** Nothing of it lives: start a host in mode `close`. */
  | { class: 'dead' }
  /** Programs work on without a host: end them (`endSession` of the reaper) before anything else. */
  | { class: 'orphan'; processes: ProcessIdentity[] }
  /** It holds its lock and does not answer. */
  | { class: 'stuck'; processes: ProcessIdentity[] }

const PROBE_EVERY_MS = 100

/** `patienceMs`: how long a host that holds its lock may take to answer, while it starts for example. */
export async function classify(sessionDir: string, socketKey: Buffer, patienceMs = 2_000): Promise<HostClass> {
  const files = sessionFiles(sessionDir)
  const launch = readAs(LaunchSpec, files.launch)
  const record = readAs(HostRecord, files.host)
  const sessionId = launch?.sessionId ?? record?.sessionId
  if (sessionId === undefined) return { class: 'dead' }
  const deadline = Date.now() + patienceMs
  let locked: boolean
  do {
    if (launch && (await answers(doorOf(launch, socketKey, record), patienceMs))) return { class: 'attached' }
    locked = isLocked(files.lock)
    if (locked) await delay(PROBE_EVERY_MS)
  } while (locked && Date.now() < deadline)
  const host = record ? [{ pid: record.pid, start: record.start, bootId: record.bootId }] : []
  const processes = findSessionProcesses(sessionId, [...host, ...(record?.procs ?? [])])
  if (locked) return { class: 'stuck', processes }
  return processes.length > 0 ? { class: 'orphan', processes } : { class: 'dead' }
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
    const probe = new Database(lockFile, { timeout: 0, fileMustExist: true })
    try {
      probe.exec('BEGIN EXCLUSIVE')
      return false
    } catch {
      return true
    } finally {
      probe.close()
    }
  } catch {
    return false
  }
}
