/**
 * Writes a file so that a reader, at any moment and after any power cut, finds the old text or the new one,
 * never a mixture: temporary file, fsync, rename, fsync of the folder.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'

export function writeDurably(file: string, text: string, mode = 0o600): void {
  const folder = path.dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, 'w', mode)
  try {
    // Goes on after a short write, which a large text on a nearly full disk gets.
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
  syncFolder(folder)
}

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Throws what the system says when a file at this place cannot be written and flushed. Leaves nothing behind. */
export function probeWrite(file: string): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    writeSync(handle, 'probe')
    fsyncSync(handle)
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
}
