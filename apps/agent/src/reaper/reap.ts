/**
 * Ends every process of a session whose host is gone (RES-6): the processes are found first, since a program that ends
 * takes the knowledge of its children with it; then SIGTERM to the backends, a grace time, SIGKILL for what is left.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { writeDurably } from '../files/write-durably'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { isRunning, type ProcessIdentity, signal } from '../processes/identity'
import { findSessionProcesses } from '../processes/session-processes'

const GRACE_MS = 5_000
const LOOK_EVERY_MS = 50
/** A killed process may need a moment until the kernel has taken it down. */
const GONE_WITHIN_MS = 2_000

export interface ReapOptions {
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number
  /** Only what this launch of the host started (`HOST_MARK`); absent: everything of the session. */
  launch?: string
}

export interface GuardNote {
  at: number
  /** How many processes were found, were killed after the grace time, and are still there. */
  found: number
  killed: number
  left: number
}

/** Also for the daemon, for orphans that no guard ended. Writes `guard.note`. */
export async function reapSession(
  sessionDir: string,
  sessionId: string,
  options: ReapOptions = {},
): Promise<GuardNote> {
  const { graceMs = GRACE_MS, launch } = options
  const recorded = readRecord(sessionDir, launch)
  const find = () => findSessionProcesses(sessionId, recorded, launch)
  const found = find()
  const backends = found.filter(({ pid }) => recorded.some((known) => known.pid === pid))
  // Where nothing was recorded yet, whoever carries the mark is asked to end.
  for (const one of backends.length > 0 ? backends : found) signal(one, 'SIGTERM')
  await untilGone(found, graceMs)
  // What was started meanwhile carries the mark as well.
  const all = unique([...found, ...find()])
  const stubborn = all.filter(isRunning)
  for (const one of stubborn) signal(one, 'SIGKILL')
  await untilGone(stubborn, GONE_WITHIN_MS)
  const note = { at: Date.now(), found: all.length, killed: stubborn.length, left: stubborn.filter(isRunning).length }
  // The session may have been erased meanwhile: its folder must not come back.
  if (existsSync(sessionDir)) writeDurably(sessionFiles(sessionDir).guardNote, JSON.stringify(note))
  return note
}

function readRecord(sessionDir: string, launch: string | undefined): ProcessIdentity[] {
  try {
    const record = HostRecord.parse(JSON.parse(readFileSync(sessionFiles(sessionDir).host, 'utf8')))
    return launch === undefined || record.launch === launch ? record.procs : []
  } catch {
    return []
  }
}

async function untilGone(processes: readonly ProcessIdentity[], withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs
  while (processes.some(isRunning) && Date.now() < deadline) await delay(LOOK_EVERY_MS)
}

function unique(processes: ProcessIdentity[]): ProcessIdentity[] {
  return [...new Map(processes.map((one) => [`${one.pid} ${one.start}`, one])).values()]
}
