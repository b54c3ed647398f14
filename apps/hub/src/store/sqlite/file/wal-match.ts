/**
 * Whether the file and the WAL beside it belong together. SQLite does not ask: it plays a WAL into any file of that name,
 * so a backup that was put back beside the WAL of a hub that was killed becomes a mixture of two times. The keeper counts a
 * mark up (`user_version`, on page 1) before it moves a WAL into the file, and again as the first thing in the next WAL: a
 * file is behind the first mark of its own WAL by one at most.
 *
 * Where the formats are described: https://www.sqlite.org/fileformat2.html (1.3 and 4.1).
 */
import { closeSync, constants, existsSync, fstatSync, readSync, realpathSync } from 'node:fs'
import { CodedError } from '@roundhouse/backend-types'
import { openOwnFile } from '@roundhouse/owner'
import type { Database } from 'better-sqlite3'

const WAL_HEADER = 32
const FRAME_HEADER = 24
/** On page 1. */
const MARK_AT = 60
const MAGIC = [0x377f0682, 0x377f0683]

/** Begins the WAL anew where the one before is in the file as a whole. */
export function mark(db: Pick<Database, 'pragma'>): void {
  db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true })) + 1}`)
}

/** Before anybody opens the file: whoever does plays the WAL into it. */
export function requireOwnWal(asked: string): void {
  if (!existsSync(asked)) return
  const file = realpathSync(asked)
  const ofFile = markOfFile(file)
  const ofWal = firstMarkOfWal(`${file}-wal`)
  if (ofFile === null || ofWal === null || ofFile >= ofWal - 1) return
  throw new CodedError(
    'STORAGE_DAMAGED',
    `The hub's database ${file} is older than ${file}-wal beside it, as if a backup of the one had been put back beside the other. Move ${file}-wal and ${file}-shm away to start with the backup; nothing was changed.`,
  )
}

function markOfFile(file: string): number | null {
  return reading(file, (read) => read(MARK_AT, 4)?.readUInt32BE(0) ?? null)
}

/** Null where there is no WAL, or none of its frames holds page 1. */
function firstMarkOfWal(wal: string): number | null {
  if (!existsSync(wal)) return null
  return reading(wal, (read, size) => {
    const header = read(0, WAL_HEADER)
    if (!header || !MAGIC.includes(header.readUInt32BE(0))) return null
    const pageSize = header.readUInt32BE(8)
    if (pageSize < 512) return null
    const salts = header.subarray(16, 24)
    for (let at = WAL_HEADER; at + FRAME_HEADER + pageSize <= size; at += FRAME_HEADER + pageSize) {
      const frame = read(at, FRAME_HEADER)
      if (!frame?.subarray(8, 16).equals(salts)) return null // of a WAL that was here before
      if (frame.readUInt32BE(0) === 1) return read(at + FRAME_HEADER + MARK_AT, 4)?.readUInt32BE(0) ?? null
    }
    return null
  })
}

type Read = (at: number, length: number) => Buffer | null

function reading<T>(file: string, work: (read: Read, size: number) => T): T {
  const fd = openOwnFile(file, constants.O_RDONLY)
  try {
    const read: Read = (at, length) => {
      const bytes = Buffer.alloc(length)
      return readSync(fd, bytes, 0, length, at) === length ? bytes : null
    }
    return work(read, fstatSync(fd).size)
  } finally {
    closeSync(fd)
  }
}
