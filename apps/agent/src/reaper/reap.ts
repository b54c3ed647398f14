/**
 * Ends every process of a session whose host is gone (RES-6): first with SIGTERM to the backends, then with SIGKILL. It then
 * removes the empty folders that a killed program left in the person's folder, and nothing that existed before.
 */
import { lookAt, type ProcessIdentity } from '@roundhouse/owner'
import { writeDurably } from '../files/write-durably'
import { isOwnIn, recordIn } from '../host-contract/host-door'
import type { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { type Ended, endProcesses } from '../processes/end-processes'
import type { ReadMarks } from '../processes/mark-reader'
import { findRecorded, findSessionProcesses } from '../processes/session-processes'

const GRACE_MS = 5_000

export interface ReapOptions {
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number
  /** Only what this launch of the host started (`HOST_MARK`); absent: everything of the session. */
  launch?: string
  readMarks: ReadMarks
  /** Takes away what a program left in a person's folders. The daemon has it done by another process (FLOW-7). */
  takeLeft(mounts: readonly string[]): Promise<void>
}

export interface GuardNote extends Ended {
  at: number
}

/**
 * Also for the daemon, for orphans that no guard ended. Writes `guard.note`. What does not say whose it is goes on. Where nobody
 * can look for marks, those that are recorded are ended all the same, and it rejects.
 */
export async function reapSession(sessionDir: string, sessionId: string, options: ReapOptions): Promise<GuardNote> {
  const { graceMs = GRACE_MS, launch, readMarks } = options
  const { procs: recorded, mayLeave = [] } = readRecord(sessionDir, launch)
  // A launch has its own folder, whatever became of it.
  const scope = launch === undefined ? { isOwn: isOwnIn(sessionDir) } : { launch }
  const isBackend = ({ pid }: ProcessIdentity) => recorded.some((known) => known.pid === pid)
  const find = async () => (await findSessionProcesses(readMarks, sessionId, recorded, scope)).found
  // If nothing was recorded yet, every process with the mark gets SIGTERM.
  const asked = (found: readonly ProcessIdentity[]) => (found.some(isBackend) ? found.filter(isBackend) : found)
  const ended = await endProcesses(find, { graceMs, asked }).catch(async (error: unknown) => {
    await endProcesses(async () => findRecorded(recorded), { graceMs, asked })
    throw error
  })
  if (mayLeave.length > 0) await tryToTake(mayLeave, options)
  const note: GuardNote = { at: Date.now(), ...ended }
  // The session may have been erased in the meantime: its folder must not come back. A link in its place is not its folder.
  if (lookAt(sessionDir)?.isDirectory()) writeNote(sessionDir, note)
  return note
}

/** For people who look into it; what was ended stays ended where the disk does not take it. */
function writeNote(sessionDir: string, note: GuardNote): void {
  try {
    writeDurably(sessionFiles(sessionDir).guardNote, JSON.stringify(note))
  } catch (error) {
    console.error('cannot write the note of the reaper', error)
  }
}

async function tryToTake(mounts: readonly string[], { takeLeft }: ReapOptions): Promise<void> {
  try {
    await takeLeft(mounts)
  } catch (error) {
    console.error('cannot remove the files that a program left', error)
  }
}

function readRecord(sessionDir: string, launch: string | undefined): Pick<HostRecord, 'procs' | 'mayLeave'> {
  try {
    const record = recordIn(sessionDir)
    return record && (launch === undefined || record.launch === launch) ? record : { procs: [] }
  } catch {
    return { procs: [] }
  }
}
