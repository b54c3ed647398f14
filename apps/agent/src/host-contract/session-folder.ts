/**
 * Decides which host belongs to which folder. A copy of an agent's home has the same sessions, keys and records, but the
 * programs that these name run for the original. The folder's number on the disk tells them apart, because a copy has another
 * number. A folder that was moved to another disk also has another number. In that case the earlier folder is gone, and its
 * programs belong to the new one.
 */
import { readlinkSync } from 'node:fs'
import { folderId, isRunning, type ProcessIdentity } from '@roundhouse/owner'
import type { HostRecord } from './launch-spec'

/** A host that runs for another folder, and the path of that. */
export interface HostElsewhere {
  pid: number
  dir: string
}

/** Null where it is not there. */
export function folderNow(dir: string): string | null {
  try {
    return folderId(dir)
  } catch {
    return null
  }
}

/** Of a record that is not this folder's. Null where that host is gone, or its folder is. */
export function hostElsewhere(record: HostRecord): HostElsewhere | null {
  const dir = isRunning(record) ? placeOf(record) : null
  return dir === null ? null : { pid: record.pid, dir }
}

/** Whether the folder that a process carries (`FOLDER_MARK`; null: none) is this session's. */
export type IsOwn = (folder: string | null) => boolean

/** `found`: the record that lies in this folder; `own`: it is not a copied one. */
export function ownFolders(sessionDir: string, found: HostRecord | null, own: boolean): IsOwn {
  const now = folderNow(sessionDir)
  const before = found?.folder !== undefined && isGone(found) ? found.folder : now
  // Of a folder that is gone nothing tells them apart. What carries no mark is an earlier release's.
  return (folder) => now === null || (folder === null ? found === null || own : folder === now || folder === before)
}

const isGone = (record: HostRecord): boolean =>
  isRunning(record) ? placeOf(record) === null : folderNow(record.dir ?? '') !== record.folder

/** A host works in its folder: the kernel knows where that is by now, and whether it was deleted. */
function placeOf({ pid, folder, dir }: ProcessIdentity & Pick<HostRecord, 'folder' | 'dir'>): string | null {
  if (process.platform !== 'linux') return dir !== undefined && folderNow(dir) === folder ? dir : null
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`)
    return place.endsWith(' (deleted)') ? null : place
  } catch {
    return null
  }
}
