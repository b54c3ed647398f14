/**
 * Reads a file that an action would change before a person is asked: an ordinary file inside the session's folders,
 * following links, and not too large. The digest includes `seen` (PERM-8).
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { COMPARED_BYTES, type NotCompared } from '@roundhouse/backend-types'
import { pathReadings, realPathsOf } from '../actions/named-paths'

export type SeenFile =
  | { path: string; missing: true }
  | { path: string; sha256: string }
  | { path: string; unseen: NotCompared }

export interface Looked {
  seen: SeenFile
  /** Something lies there. */
  exists: boolean
  text?: string
}

/** `within`: whether this real path may be looked at. */
export function lookAtFile(name: string, cwd: string, within: (path: string) => boolean): Looked {
  const [path, ...others] = [...new Set(pathReadings(name).flatMap((one) => realPathsOf(one, cwd)))]
  // Nobody knows which of several files a program would take.
  if (path === undefined || others.length > 0 || !within(path)) {
    return { seen: { path: name, unseen: 'outside' }, exists: false }
  }
  try {
    return readSeen(path)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { seen: isMissing ? { path, missing: true } : { path, unseen: 'unreadable' }, exists: !isMissing }
  }
}

function readSeen(path: string): Looked {
  const unseen = (why: NotCompared): Looked => ({ seen: { path, unseen: why }, exists: true })
  if (!lstatSync(path).isFile()) return unseen('not_a_file')
  // A link that appeared in the meantime is not followed, and a pipe does not block.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const opened = fstatSync(handle)
    if (!opened.isFile()) return unseen('not_a_file')
    if (opened.size > COMPARED_BYTES) return unseen('too_large')
    const bytes = readUpTo(handle, COMPARED_BYTES + 1)
    if (bytes.length > COMPARED_BYTES) return unseen('too_large')
    // A folder on the way that became a link would have led elsewhere.
    const there = lstatSync(path)
    const [real] = realPathsOf(path, path)
    if (real !== path || there.ino !== opened.ino || there.dev !== opened.dev) return unseen('unreadable')
    const seen = { path, sha256: createHash('sha256').update(bytes).digest('hex') }
    const text = textOf(bytes)
    return text === null ? { seen, exists: true } : { seen, exists: true, text }
  } finally {
    closeSync(handle)
  }
}

function readUpTo(handle: number, most: number): Buffer {
  const bytes = Buffer.alloc(most)
  let length = 0
  for (let read = -1; read !== 0 && length < most; length += read) {
    read = readSync(handle, bytes, length, most - length, null)
  }
  return bytes.subarray(0, length)
}

/** Null where it is no text in UTF-8. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
