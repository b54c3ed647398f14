/**
 * One process owns a folder (STORE-5). The lock is a file in it. The owner's own description matters only if somebody
 * deleted that file while its process lives: the folder is then still owned.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { type FileLock, tryFileLock } from './file-lock'
import { identify, isRunning, type ProcessIdentity } from './process-identity'

/** What an owner writes about itself, beside what it has to say otherwise. */
export interface FolderOwner extends ProcessIdentity {
  /** The folder in which it was written: a copy of the folder has another. */
  folder: string
}

/** This process as the owner of a folder; null where it cannot see itself. */
export function folderOwner(folder: string): FolderOwner | null {
  const self = identify(process.pid)
  return self && { ...self, folder: folderId(folder) }
}

/** Null when another process owns the folder of `lockFile`. `written`: what its owner, or one before, wrote. */
export function tryFolderLock(
  lockFile: string,
  written: () => Partial<FolderOwner> | null,
  patienceMs = 0,
): FileLock | null {
  const lock = tryFileLock(lockFile, patienceMs)
  if (lock === null || !isOwnedByAnother(path.dirname(lockFile), written())) return lock
  lock.release()
  return null
}

function isOwnedByAnother(folder: string, written: Partial<FolderOwner> | null): boolean {
  const { pid, start, bootId, folder: where } = written ?? {}
  if (pid === undefined || start === undefined || bootId === undefined) return false
  return pid !== process.pid && where === folderId(folder) && isRunning({ pid, start, bootId })
}

/** The folder itself, by whatever path it is reached. A copy has another; one that is moved on its disk keeps it. */
export function folderId(folder: string): string {
  const { dev, ino } = statSync(folder)
  return `${dev}:${ino}`
}
