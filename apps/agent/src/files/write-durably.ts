/**
 * Writes a file so that a reader, at any moment and after any power cut, finds the old text or the new one,
 * never a mixture: temporary file, fsync, rename, fsync of the folder. A link in its place is replaced, not written through.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { makeOwnFile, openOwnFile } from '@roundhouse/owner'
import { diskTroubleOf } from './disk-trouble'

export function writeDurably(file: string, text: string | Uint8Array, mode = 0o600): void {
  const folder = path.dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = makeOwnFile(temporary, mode)
  try {
    try {
      // Goes on after a short write, which a large one on a nearly full disk gets.
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    // On a full disk, the partial file is removed to free its space.
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(folder)
}

/** For a short text that must be written also where there is no room for another file: then a power cut may tear it. */
export function writeDurablyOrInPlace(file: string, text: string): void {
  try {
    writeDurably(file, text)
  } catch (error) {
    if (diskTroubleOf(error) !== 'full') throw error
    writeInPlace(file, text)
  }
}

/** Into the room that the file has on the disk. */
function writeInPlace(file: string, text: string): void {
  const handle = openOwnFile(file, constants.O_RDWR)
  try {
    const bytes = Buffer.from(text)
    if (writeSync(handle, bytes, 0, bytes.length, 0) < bytes.length) throw noRoom()
    ftruncateSync(handle, bytes.length)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const noRoom = () => Object.assign(new Error('no room for all of it'), { code: 'ENOSPC' })

export function syncFolder(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Throws what the system says when a file at this place cannot be written and flushed. Leaves nothing behind. */
export function probeWrite(file: string, bytes = 5): void {
  const handle = makeOwnFile(file)
  try {
    writeFileSync(handle, Buffer.alloc(bytes))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
}
