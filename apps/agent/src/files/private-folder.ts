/** Folders that only this user may read or replace, even if the parent folder is shared (`/tmp`). */
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/** Makes the folder. False where it is not private: somebody else made it first, it is a link, or others may replace it. */
export function makePrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    return found.isDirectory() && isOwn(found.uid) && (found.mode & OTHERS) === 0 && keepsItsEntries(folder)
  } catch {
    return false
  }
}

function keepsItsEntries(folder: string): boolean {
  const above = statSync(path.dirname(folder))
  if ((above.mode & OTHERS_WRITE) !== 0) return (above.mode & STICKY) !== 0
  return isOwn(above.uid) || above.uid === 0
}

const isOwn = (uid: number): boolean => uid === os.userInfo().uid
