/**
 * Reads the notes of a role from the folder that the machine's policy names: `<folder>/<roleId>/*.md` (POL-6). Only the session
 * host reads them. What it reads becomes instructions of a program, so nobody but the machine's owner may have written it, no
 * link leads out of the folder, and the amount is limited. What is missing or refused is told, and never an error.
 */
import { closeSync, constants, fstatSync, opendirSync, readSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { type RoleNotes, roleName } from '@roundhouse/backend-types'
import { openOwnFile } from '@roundhouse/owner'
import { isInside } from '../../files/is-inside'
import { whoElseWrites } from '../../policy/who-else-writes'
import { composeNotes, type MemorySource, NOTES_LIMIT_CHARS, type Note, rankNotes } from './notes'

/** Of one note. More never fits the limit of all. */
const NOTE_BYTES = 65_536
const MOST_NOTES = 200
const MOST_ENTRIES = 2_000
const MOST_LEFT_OUT = 20
const noteName = /^[^\p{C}/\\]{1,197}\.md$/u

export interface NotesPlace {
  /** Undefined: the policy names none. */
  folder: string | undefined
  /** Real paths. Sessions can change what lies in them. */
  roots: readonly string[]
}

type Read = { notes: Note[]; leftOut: RoleNotes['leftOut'] }

/** `place` is read at each use, because the policy changes while the host runs. */
export function notesFolder(place: () => NotesPlace): MemorySource {
  return {
    recall(roleId, query) {
      try {
        const { notes, leftOut } = readNotes(place(), roleId)
        const { text, used, leftOut: unfit } = composeNotes(roleId, rankNotes(notes, query), NOTES_LIMIT_CHARS)
        return { text, told: { roleId, notes: used, leftOut: few([...leftOut, ...unfit]) } }
      } catch (error) {
        const problem = error instanceof NoNotes ? error.message : 'The notes of this machine cannot be read.'
        return { text: '', told: { roleId: roleId.slice(0, 64), notes: [], leftOut: [], problem } }
      }
    },
  }
}

/** Its message is shown to people, and names no path of the machine. */
class NoNotes extends Error {}

function readNotes({ folder, roots }: NotesPlace, roleId: string): Read {
  if (folder === undefined) throw new NoNotes('The policy of this machine names no folder of notes.')
  // The hub sends the role's name, and it becomes part of a path.
  if (!roleName.test(roleId)) throw new NoNotes('This is no name of a role.')
  const top = realFolder(folder, 'The folder of notes')
  if (roots.some((root) => isInside(top, root) || isInside(root, top)))
    throw new NoNotes('The folder of notes overlaps a folder of sessions, whose programs could write notes.')
  const role = realFolder(path.join(top, roleId), `The folder of notes for ${roleId}`)
  if (role === top || !isInside(role, top))
    throw new NoNotes(`The notes for ${roleId} lie outside the folder of notes.`)
  // The folders of both, and each link on the way.
  const writers = [...whoElseWrites(path.join(folder, roleId), folder), ...whoElseWrites(role, top)]
  if (writers.length > 0) throw new NoNotes(`Others than its owner may change the folder of notes for ${roleId}.`)
  return readEach(role, top)
}

function realFolder(folder: string, what: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    const isGone = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
    throw new NoNotes(`${what} ${isGone ? 'is not there' : 'cannot be read'}.`)
  }
}

function readEach(role: string, top: string): Read {
  const names = namesIn(role)
  const read: Read = { notes: [], leftOut: [] }
  for (const name of names.slice(0, MOST_NOTES)) {
    const note = readNote(path.join(role, name), name, top)
    if ('why' in note) read.leftOut.push(note)
    else read.notes.push(note)
  }
  for (const name of names.slice(MOST_NOTES))
    read.leftOut.push({ name, why: `a role has more than ${MOST_NOTES} notes` })
  return read
}

function namesIn(role: string): string[] {
  const names: string[] = []
  try {
    const folder = opendirSync(role)
    try {
      for (let count = 0; count < MOST_ENTRIES; count += 1) {
        const entry = folder.readSync()
        if (entry === null) break
        if (noteName.test(entry.name)) names.push(entry.name)
      }
    } finally {
      folder.closeSync()
    }
  } catch {
    throw new NoNotes('The folder of notes cannot be read.')
  }
  return names.sort()
}

function readNote(file: string, name: string, top: string): Note | { name: string; why: string } {
  try {
    const real = realpathSync(file)
    if (!isInside(real, top)) return { name, why: 'it leads out of the folder of notes' }
    return readOwn(real, name)
  } catch (error) {
    const isOdd = codeOf(error) === 'IN_THE_WAY'
    return { name, why: isOdd ? 'it is no ordinary file' : 'it cannot be read' }
  }
}

function readOwn(real: string, name: string): Note | { name: string; why: string } {
  const handle = openOwnFile(real, constants.O_RDONLY)
  try {
    const { size, uid, mode } = fstatSync(handle)
    const own = process.getuid?.()
    const isForeign = own !== undefined && uid !== own && uid !== 0
    if (isForeign || (mode & 0o022) !== 0) return { name, why: 'others than its owner may change it' }
    const buffer = Buffer.alloc(Math.min(size, NOTE_BYTES))
    const text = buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, 0)).toString('utf8')
    const isPart = size > NOTE_BYTES
    return {
      name,
      text: (isPart ? text.replace(/\uFFFD$/, '') : text).trim(),
      bytes: size,
      ...(isPart ? { isPart } : {}),
    }
  } finally {
    closeSync(handle)
  }
}

function few(leftOut: RoleNotes['leftOut']): RoleNotes['leftOut'] {
  const more = leftOut.length - MOST_LEFT_OUT
  return more <= 1 ? leftOut : [...leftOut.slice(0, MOST_LEFT_OUT), { name: `${more} more notes`, why: 'not listed' }]
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
