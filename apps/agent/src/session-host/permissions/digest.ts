/**
 * The action that a person decides on, as one value (PERM-8): an HMAC under a key that never leaves the machine, over
 * the canonical JSON of the complete action before redaction. It includes the content of the files that the command
 * names and the targets of links.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { lookAt, readOwnFile } from '@roundhouse/owner'
import canonicalize from 'canonicalize'
import { foldersOf } from '../../actions/command-folders'
import { wordsOf } from '../../actions/command-names'
import type { Place } from '../../actions/named-paths'
import { withoutTargets } from '../../actions/written-files'
import type { SeenFile } from '../../changes/seen-file'
import { isInside } from '../../files/is-inside'
import { writeOnce } from '../../files/write-once'

const MOST_FILES = 16
const LARGEST_FILE_BYTES = 4 * 1024 * 1024

export interface Action {
  tool: string
  /** Complete, before redaction. */
  input: unknown
  /** Real path. */
  cwd: string
  files: PinnedFile[]
  /** The names in the input that lead through a link. */
  places: Place[]
  /** The files that the action changes, as shown with the request. */
  seen?: SeenFile[]
}

export interface PinnedFile {
  path: string
  sha256: string
}

/** The digest that people see and decisions carry. It is bound to the process that asked. */
export function digestOf(action: Action, procId: string, key: Buffer): string {
  return hmac({ ...action, procId }, key)
}

/** The digest of the action alone, without the asking process and the changed files. An exact grant covers it (PERM-5). */
export function actionDigestOf({ seen, ...action }: Action, key: Buffer): string {
  return hmac({ ...action, procId: null }, key)
}

function hmac(value: unknown, key: Buffer): string {
  return createHmac('sha256', key)
    .update(canonicalize(value) ?? 'undefined')
    .digest('hex')
}

/** All hosts of the machine share this key. The first host that needs it creates it. */
export function loadDigestKey(file: string): Buffer {
  if (!lookAt(file)) writeOnce(file, randomBytes(32).toString('hex'))
  return Buffer.from(readOwnFile(file).trim(), 'hex')
}

export interface PinnedFiles {
  files: PinnedFile[]
  /** False if more or larger files exist than can be pinned. The prompt then says "files not pinned". */
  complete: boolean
  /** The pinned files that the command writes to, and otherwise only prints. */
  printed: string[]
}

/**
 * Finds the regular files inside the roots that a word of the command names, in any folder where the command may be by
 * then. Leaves out files that a plain command only writes to: their content does not change what it does.
 */
export function pinFiles(input: unknown, cwd: string, roots: readonly string[]): PinnedFiles {
  const found = new Map<string, PinnedFile>()
  const { input: read, targets } = withoutTargets(input)
  const words = [...new Set(wordsOf(read, cwd))]
  const { folders, all } = foldersOf(words, cwd)
  const asked = new Set(words.flatMap((word) => folders.map((folder) => path.resolve(folder, word))))
  let complete = all
  for (const real of [...asked].flatMap(realFile)) {
    if (found.has(real) || !roots.some((root) => isInside(real, root))) continue
    if (found.size >= MOST_FILES || lstatSync(real).size > LARGEST_FILE_BYTES) {
      complete = false
      continue
    }
    found.set(real, { path: real, sha256: createHash('sha256').update(readFileSync(real)).digest('hex') })
  }
  // The command stays in its folder.
  const written = targets.flatMap((target) => realFile(path.resolve(cwd, target)))
  return {
    files: [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    complete,
    printed: [...new Set(written)].filter((real) => found.has(real)),
  }
}

function realFile(asked: string): string[] {
  try {
    const real = realpathSync(asked)
    return lstatSync(real).isFile() ? [real] : []
  } catch {
    return []
  }
}
