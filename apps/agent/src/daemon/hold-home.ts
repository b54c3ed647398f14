/** One daemon, or one `join`, for each home of an agent (T25). Whoever comes second hears which process is there. */
import { CodedError } from '@roundhouse/backend-types'
import { type FileLock, type FolderOwner, folderOwner, identify, isRunning, tryFolderLock } from '@roundhouse/owner'
import type { AgentHome } from '../files/agent-home'
import { type DaemonFile, readDaemonFile } from './daemon-file'
import { orUnwritable } from './state-lock'

/** Somebody who starts at the same instant, or asks for the status, is in the way only for a moment. */
const PATIENCE_MS = 500

export function holdHome({ lockFile, daemonFile }: AgentHome): FileLock {
  const written = () => readDaemonFile(daemonFile)
  const lock = orUnwritable(lockFile, () => tryFolderLock(lockFile, written, PATIENCE_MS))
  if (lock !== null) return lock
  throw new CodedError('ALREADY_RUNNING', refusal(written()), { lockFile })
}

function refusal(daemon: DaemonFile | null): string {
  if (daemon === null || !lives(daemon))
    return 'A join, or an agent that is just starting or ending, holds this state folder: try again.'
  const since = new Date(daemon.startedAt).toISOString()
  return `Another agent already runs on this state folder (process ${daemon.pid}, since ${since}). See: roundhouse-agent status`
}

/** What a daemon says of itself, for the one that finds the lock file deleted. */
export const ownIdentity = (home: AgentHome): Partial<FolderOwner> => folderOwner(home.state) ?? {}

/** Its number alone may be another process's by now. */
function lives({ pid, start, bootId }: DaemonFile): boolean {
  if (start === undefined || bootId === undefined) return identify(pid) !== null // as an earlier release wrote it
  return isRunning({ pid, start, bootId })
}
