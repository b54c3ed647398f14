/** Damages a file as a failing disk would: flipped bits, torn pages, rows that lost a value. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'

export const PAGE_BYTES = 4_096
const WAL_HEAD_BYTES = 32
const WAL_FRAME_HEAD_BYTES = 24

/** Flips one bit. */
export function flipBit(file: string, at: number, bit = 1): void {
  const before = readFileSync(file)[at]
  if (before === undefined) throw new Error(`${file} has no byte ${at}`)
  overwrite(file, at, Buffer.of(before ^ (1 << bit)))
}

export function overwrite(file: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, bytes, 0, bytes.length, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Where each page of a database, or each page in its side file, begins. Leaves out the first page of a database. */
export function pagesOf(file: string): number[] {
  const bytes = readFileSync(file).length
  const isWal = file.endsWith('-wal')
  const step = isWal ? PAGE_BYTES + WAL_FRAME_HEAD_BYTES : PAGE_BYTES
  const first = isWal ? WAL_HEAD_BYTES + WAL_FRAME_HEAD_BYTES : PAGE_BYTES
  return Array.from({ length: Math.max(0, Math.ceil((bytes - first) / step)) }, (_, index) => first + index * step)
}

/** Flips the bit that marks the kind of page, in every page that contains this text. Returns their number. */
export function flipPagesWith(file: string, text: string): number {
  const whole = readFileSync(file)
  const hit = pagesOf(file).filter((at) => whole.subarray(at, at + PAGE_BYTES).includes(text))
  for (const at of hit) flipBit(file, at)
  return hit.length
}

/** Removes the values of these columns from rows, as no statement could do in a sound database. */
export function loseValues(file: string, table: string, columns: readonly string[], where: string): void {
  const db = new Database(file, { timeout: 5_000 })
  try {
    db.unsafeMode(true)
    db.pragma('writable_schema = ON')
    const { sql } =
      db.prepare<[string], { sql: string }>('SELECT sql FROM sqlite_master WHERE name = ?').get(table) ?? {}
    const setSql = (text: string) => db.prepare('UPDATE sqlite_master SET sql = ? WHERE name = ?').run(text, table)
    setSql(sql?.replaceAll(' NOT NULL', '') ?? '')
    const lax = new Database(file, { timeout: 5_000 })
    lax.exec(`UPDATE ${table} SET ${columns.map((column) => `"${column}" = NULL`).join(', ')} WHERE ${where}`)
    lax.close()
    setSql(sql ?? '')
  } finally {
    db.close()
  }
}

export const logFile = (sessionFolder: string): string => path.join(sessionFolder, 'log.db')

export type Dice = (below: number) => number

/** What a disk may do to a file, chosen at random. Each returns a description. */
const deeds: ReadonlyArray<(file: string, dice: Dice) => string> = [
  (file, dice) => {
    const size = readFileSync(file).length
    const places = Array.from({ length: 1 + dice(8) }, () => dice(size))
    for (const at of places) flipBit(file, at, dice(8))
    return `bits turned at ${places.join(', ')}`
  },
  (file, dice) => {
    const pages = pagesOf(file)
    const at = pages[dice(pages.length)] ?? 0
    overwrite(file, at + PAGE_BYTES / 2, Buffer.alloc(PAGE_BYTES / 2))
    return `the second half of a page is zero, at ${at}`
  },
  (file, dice) => {
    const pages = pagesOf(file)
    const [from, to] = [pages[dice(pages.length)] ?? 0, pages[dice(pages.length)] ?? 0]
    overwrite(file, to, readFileSync(file).subarray(from, from + PAGE_BYTES))
    return `the page at ${from} lies at ${to} too`
  },
  (file, dice) => {
    const size = dice(readFileSync(file).length)
    truncateSync(file, size)
    return `cut to ${size} bytes`
  },
]

/** Applies one of them. A missing or empty file stays unchanged. */
export function damage(file: string, dice: Dice): string {
  const deed = deeds[dice(deeds.length)]
  if (!deed || !existsSync(file) || readFileSync(file).length === 0) return 'nothing'
  return deed(file, dice)
}
