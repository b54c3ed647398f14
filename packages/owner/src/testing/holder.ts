/**
 * A process that locks: `node --import tsx holder.ts`. It takes one order per line: `file LOCKFILE`, `folder LOCKFILE
 * NAMEFILE` (it writes its identity there), `release`. It answers each with `held`, `refused` or `released`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type FileLock, tryFileLock } from '../file-lock'
import { type FolderOwner, folderOwner, tryFolderLock } from '../folder-lock'

let lock: FileLock | null = null

function written(nameFile: string): Partial<FolderOwner> | null {
  try {
    return JSON.parse(readFileSync(nameFile, 'utf8'))
  } catch {
    return null
  }
}

function obey([order, lockFile = '', nameFile = '']: string[]): string {
  if (order === 'release') {
    lock?.release()
    return 'released'
  }
  lock = order === 'file' ? tryFileLock(lockFile) : tryFolderLock(lockFile, () => written(nameFile))
  if (lock && order === 'folder') writeFileSync(nameFile, JSON.stringify(folderOwner(path.dirname(lockFile))))
  return lock ? 'held' : 'refused'
}

createInterface({ input: process.stdin }).on('line', (line) => console.log(obey(line.split(' '))))
console.log('ready')
