/**
 * A disk that returns other data than was written: flips bits and overwrites pages and long ranges of a file that other
 * processes have open.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'

const PAGE = 4_096
const WAL_HEAD = 32
const WAL_FRAME = 24 + PAGE

export type Random = (below: number) => number

/** The same change at the same place of each page of the main file and of each frame in the WAL. */
export interface Damage {
  name: string
  strike(file: string, random: Random): void
}

const pagesOf = (file: string): number[] => starts(file, 0, PAGE)
const framesOf = (file: string): number[] => starts(`${file}-wal`, WAL_HEAD + 24, WAL_FRAME)

export const damages: readonly Damage[] = [
  {
    name: 'one bit at the head of each page',
    strike: (file, random) =>
      everyPage(file, (at, first) => {
        const place = at + (first ? 100 : 0)
        return { place, change: (bytes) => flip(bytes, random(8)), length: 1 }
      }),
  },
  {
    name: 'a bit here and there',
    strike: (file, random) =>
      everyPage(file, (place) => ({
        place,
        length: PAGE,
        change: (bytes) => {
          for (let n = 0; n < 40; n += 1) flip(bytes, random(bytes.length * 8))
        },
      })),
  },
  {
    name: 'pages torn in the middle',
    strike: (file, random) =>
      everyPage(file, (at) => ({
        place: at + PAGE / 2,
        length: PAGE / 2,
        change: (bytes) => {
          for (let n = 0; n < bytes.length; n += 1) bytes[n] = random(256)
        },
      })),
  },
  {
    name: 'NULLs instead of pages',
    strike: (file) => everyPage(file, (place) => ({ place, length: PAGE, change: (bytes) => bytes.fill(0) })),
  },
  {
    name: 'half of the file gone',
    strike: (file) => {
      for (const one of [file, `${file}-wal`]) if (existsSync(one)) truncateSync(one, Math.floor(sizeOf(one) / 2))
    },
  },
]

/** Flips single bits at places that the seed chooses. */
export function flipSome(file: string, random: Random, count: number): void {
  if (!existsSync(file)) return
  const size = sizeOf(file)
  for (let n = 0; n < count && size > 0; n += 1) {
    change(file, random(size), 1, (bytes) => flip(bytes, random(8)))
  }
}

/** Flips one bit in every occurrence of this text. Returns the number of occurrences. */
export function flipInText(file: string, text: string): number {
  let found = 0
  for (const one of [file, `${file}-wal`].filter(existsSync)) {
    change(one, 0, sizeOf(one), (bytes) => {
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
        flip(bytes.subarray(at + 2), 0)
        found += 1
      }
    })
  }
  return found
}

interface Change {
  place: number
  length: number
  change(bytes: Buffer): void
}

function everyPage(file: string, of: (at: number, first: boolean) => Change): void {
  for (const at of pagesOf(file)) apply(file, of(at, at === 0))
  for (const at of framesOf(file)) apply(`${file}-wal`, of(at, false))
}

const apply = (file: string, { place, length, change: work }: Change) => change(file, place, length, work)

function starts(file: string, first: number, step: number): number[] {
  if (!existsSync(file)) return []
  const size = sizeOf(file)
  return Array.from({ length: Math.max(0, Math.ceil((size - first) / step)) }, (_, n) => first + n * step)
}

function change(file: string, place: number, length: number, work: (bytes: Buffer) => void): void {
  const fd = openSync(file, 'r+')
  try {
    const bytes = Buffer.alloc(length)
    const read = readSync(fd, bytes, 0, length, place)
    const there = bytes.subarray(0, read)
    work(there)
    writeSync(fd, there, 0, there.length, place)
  } finally {
    closeSync(fd)
  }
}

function flip(bytes: Buffer, bit: number): void {
  const at = bit >> 3
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
}

function sizeOf(file: string): number {
  const fd = openSync(file, 'r')
  try {
    return fstatSync(fd).size
  } finally {
    closeSync(fd)
  }
}

/** Overwrites with NULLs the pages that contain this text, except those that contain `spare`. Returns their number. */
export function nullPagesWith(file: string, text: string, spare: string): number {
  let found = 0
  const strike = (name: string, place: number) =>
    change(name, place, PAGE, (bytes) => {
      if (!bytes.includes(text) || bytes.includes(spare)) return
      bytes.fill(0)
      found += 1
    })
  for (const at of pagesOf(file)) strike(file, at)
  for (const at of framesOf(file)) strike(`${file}-wal`, at)
  return found
}
