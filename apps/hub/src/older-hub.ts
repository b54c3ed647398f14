/** Hubs of an earlier release took no lock of their folder (STORE-5); they are known by what they announced. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { hadBegun } from '@roundhouse/owner'
import { readHubFile } from './announce'

/**
 * The process of such a hub that runs on this data. Null where none does, also where its number belongs to a process
 * that began later, or where the folder is a copy of its own.
 */
export function hubWithoutLock(dataDir: string): number | null {
  const file = readHubFile(dataDir)
  if (file === null || file.locked === true || file.pid === process.pid) return null
  const { pid, startedAt } = file
  return hadBegun(pid, startedAt) && hasOpen(pid, path.join(dataDir, 'hub.db')) !== false ? pid : null
}

/** Whether that process has this file open; null where nobody can tell. */
function hasOpen(pid: number, file: string): boolean | null {
  if (process.platform !== 'linux') return null
  try {
    const { dev, ino } = statSync(file)
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const found = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false })
      return found?.dev === dev && found.ino === ino
    })
  } catch {
    return null
  }
}
