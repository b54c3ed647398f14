/**
 * Creates a file that several processes may create at the same time: the first one's text stays, and nobody sees a partial
 * file.
 */
import { linkSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { syncFolder, writeDurably } from './write-durably'

export function writeOnce(file: string, text: string): void {
  const own = `${file}.${process.pid}.new`
  writeDurably(own, text)
  try {
    linkSync(own, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A file system without a second name for a file: there the last one's stays.
    if (code !== 'EEXIST') renameSync(own, file)
  } finally {
    rmSync(own, { force: true })
  }
  syncFolder(path.dirname(file))
}
