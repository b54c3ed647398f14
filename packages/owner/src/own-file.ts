/**
 * The small files in a program's own folders (STORE-5). Hosted programs may run as its user and put anything in their place.
 * So no link is followed, no pipe is waited for, and no more is read than such a file can hold. Parent folders may be links.
 * A program with the same user's rights can swap a file at any moment: this limits mishaps and tricks to damage of one file,
 * and is no security boundary.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants
const MOST_BYTES = 16 * 1024 * 1024
/** Another process may make the same file at the same instant. */
const MAKE_TRIES = 8
/** SQLite opens these by itself, and waits for a pipe. */
const SIDES = ['-journal', '-wal', '-shm']

const FOLDER = 'a folder'

/** Something else is where a file belongs. That stays so until somebody moves it: it is no state that passes. */
export class InTheWay extends Error {
  readonly code = 'IN_THE_WAY'
  /** Nobody takes a folder for the file, and it holds things of its own: what belongs here was moved, and may come back. */
  readonly isFolder: boolean

  constructor(file: string, what: string) {
    super(`${file} is ${what}: move it away.`)
    this.name = 'InTheWay'
    this.isFolder = what.startsWith(FOLDER)
  }
}

export interface OwnFileOptions {
  /** Only where a person may have put a link on purpose. */
  links?: 'followed'
}

/** A descriptor of an ordinary file, for `flags` (`O_RDONLY`, ...). Throws `InTheWay`, or what the system says. */
export function openOwnFile(file: string, flags: number, options: OwnFileOptions = {}): number {
  let handle: number
  try {
    handle = openSync(file, flags | O_NONBLOCK | (options.links ? 0 : O_NOFOLLOW), 0o600)
  } catch (error) {
    // The system has a code of its own for each sort: ELOOP, EISDIR, ENXIO, ...
    requireOwnFile(file, options)
    throw error
  }
  try {
    refuse(file, fstatSync(handle))
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

export interface ReadOptions extends OwnFileOptions {
  most?: number
}

export function readOwnBytes(file: string, { most = MOST_BYTES, ...options }: ReadOptions = {}): Buffer {
  const handle = openOwnFile(file, O_RDONLY, options)
  try {
    if (fstatSync(handle).size > most) throw new InTheWay(file, `larger than ${most} bytes`)
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

export const readOwnFile = (file: string, options?: ReadOptions): string => readOwnBytes(file, options).toString('utf8')

/** Makes it, for reading and writing; what was left there by that name goes, and what a link led to stays as it is. */
export function makeOwnFile(file: string, mode = 0o600): number {
  for (let tries = MAKE_TRIES; ; tries -= 1) {
    try {
      return openSync(file, O_RDWR | O_CREAT | O_EXCL, mode)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries === 0) throw error
      makeRoom(file)
    }
  }
}

/** A reader finds the old text or the new one. */
export function replaceOwnFile(file: string, text: string, options: { flush?: boolean } = {}): void {
  const temporary = `${file}.${process.pid}`
  const handle = makeOwnFile(temporary)
  try {
    try {
      writeFileSync(handle, text, options)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Looks without opening. What is not there is not in the way. */
export function requireOwnFile(file: string, { links }: OwnFileOptions = {}): void {
  const found = links ? statSync(file, { throwIfNoEntry: false }) : lookAt(file)
  if (found) refuse(file, found)
}

/** The same for a database, with what SQLite opens beside it. */
export function requireOwnDatabase(file: string, options: OwnFileOptions = {}): void {
  requireOwnFile(file, options)
  for (const side of SIDES) requireOwnFile(`${file}${side}`)
}

/** Of what SQLite opens beside a database: the files that are none. */
export function foreignSides(file: string): string[] {
  return SIDES.map((side) => `${file}${side}`).filter((place) => lookAt(place)?.isFile() === false)
}

/** A real folder of its own, in which files are made and removed. A link in its place goes; what it leads to stays. */
export function makeOwnFolder(folder: string): void {
  const found = lookAt(folder)
  if (found && !found.isDirectory()) makeRoom(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** The entry itself, not what it leads to; undefined where there is none. */
export function lookAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** A name is removed, never a folder or a device. */
function makeRoom(place: string): void {
  const found = lookAt(place)
  if (!found) return
  if (found.isDirectory() || isDevice(found)) throw new InTheWay(place, sortOf(found))
  try {
    unlinkSync(place)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function refuse(file: string, found: Stats): void {
  if (!found.isFile()) throw new InTheWay(file, `${sortOf(found)} and no ordinary file`)
}

function sortOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a link'
  if (found.isFIFO()) return 'a named pipe'
  if (found.isDirectory()) return FOLDER
  return found.isSocket() ? 'a socket' : 'a device'
}

const isDevice = (found: Stats): boolean => found.isCharacterDevice() || found.isBlockDevice()
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
