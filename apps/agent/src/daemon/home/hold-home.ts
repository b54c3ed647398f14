/** Allows one daemon, or one `join`, for each home of an agent (T25). A second process learns which process holds it. */
import { CodedError } from '@roundhouse/backend-types'
import {
  type FileLock,
  type FolderOwner,
  folderId,
  folderOwner,
  identify,
  isRunning,
  tryFolderLock,
} from '@roundhouse/owner'
import type { AgentHome, DaemonFiles } from '../../files/agent-home'
import { type DaemonFile, readDaemonFile } from './daemon-file'
import { orUnwritable } from './state-lock'

/** A process that starts at the same moment, or asks for the status, holds the lock only briefly. */
const PATIENCE_MS = 500

export function holdHome({ lockFile, daemonFile }: Pick<DaemonFiles, 'lockFile' | 'daemonFile'>): FileLock {
  const written = () => readDaemonFile(daemonFile)
  const lock = orUnwritable(lockFile, () => tryFolderLock(lockFile, written, PATIENCE_MS))
  if (lock !== null) return lock
  throw new CodedError('ALREADY_RUNNING', refusal(written()), { lockFile })
}

/** For an agent, which is one machine to its hub. */
export function holdAsAgent(home: AgentHome): FileLock {
  requireOriginal(home)
  return holdHome(home)
}

/**
 * Throws if this folder is a copy and an agent runs in the original. A copy that joins again becomes another machine
 * and leaves no agent's name behind.
 */
function requireOriginal({ state, daemonFile }: AgentHome): void {
  const daemon = readDaemonFile(daemonFile)
  const isCopied = daemon?.folder !== undefined && daemon.folder !== folderId(state)
  if (!daemon || !isCopied || !lives(daemon)) return
  throw new CodedError(
    'ALREADY_RUNNING',
    `${state} is a copy of a state folder in which process ${daemon.pid} already runs as this machine. Stop that process first, or make this folder a separate machine: roundhouse-agent join --replace`,
  )
}

function refusal(daemon: DaemonFile | null): string {
  if (daemon === null || !lives(daemon)) return 'Another agent command is using this state folder. Try again.'
  const since = new Date(daemon.startedAt).toISOString()
  return `An agent already runs on this state folder (process ${daemon.pid}, since ${since}). Stop it first: press Ctrl-C where it runs, or send SIGTERM to that process.`
}

/** What a daemon records about itself, for a process that finds the lock file deleted. */
export const ownIdentity = (home: AgentHome): Partial<FolderOwner> => folderOwner(home.state) ?? {}

/** The pid alone may belong to another process by now. */
function lives({ pid, start, bootId }: DaemonFile): boolean {
  if (start === undefined || bootId === undefined) return identify(pid) !== null // as an earlier release wrote it
  return isRunning({ pid, start, bootId })
}
