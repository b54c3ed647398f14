/**
 * The memory of a role: Markdown notes. Notes that share the most words with the first input come first, as many as fit the
 * limit. A folder of notes (`notes-folder.ts`) is one kind of memory; another kind can implement `MemorySource`.
 */
import type { RoleNotes } from '@roundhouse/backend-types'

export interface MemorySource {
  recall(roleId: string, query: string): Recalled
}

export interface Recalled {
  /** For the system prompt; empty if there is none. */
  text: string
  told: RoleNotes
}

export interface Note {
  name: string
  text: string
  /** Of the whole file. */
  bytes: number
  /** `text` is only its beginning. */
  isPart?: boolean
}

export const NOTES_LIMIT_CHARS = 16_000

/** Best first: by shared words, with rare words counting more. Equal notes are sorted by name to keep the order stable. */
export function rankNotes(notes: readonly Note[], query: string): Note[] {
  const asked = wordsOf(query)
  const words = notes.map((note) => wordsOf(`${note.name} ${note.text}`))
  const weight = (word: string) => Math.log(1 + notes.length / words.filter((set) => set.has(word)).length)
  const scored = notes.map((note, index) => {
    const shared = [...asked].filter((word) => words[index]?.has(word))
    return { note, score: shared.reduce((sum, word) => sum + weight(word), 0) }
  })
  return scored.sort((a, b) => b.score - a.score || (a.note.name < b.note.name ? -1 : 1)).map(({ note }) => note)
}

/** Takes whole notes while they fit, then cuts the first that does not fit and leaves out the rest. */
export function composeNotes(
  roleId: string,
  notes: readonly Note[],
  limit: number,
): { text: string; used: RoleNotes['notes']; leftOut: RoleNotes['leftOut'] } {
  const used: RoleNotes['notes'] = []
  const leftOut: RoleNotes['leftOut'] = []
  let text = ''
  let isFull = false
  for (const note of notes) {
    const heading = `\n\n## ${note.name.replace(/\.md$/, '')}\n\n`
    const room = limit - text.length - heading.length
    if (isFull || room <= 0) {
      leftOut.push({ name: note.name, why: 'the notes before it fill the limit' })
      continue
    }
    const taken = beginningOf(note.text, room)
    isFull = taken.length < note.text.length
    text += heading + taken
    used.push({ name: note.name, bytes: note.bytes, ...(isFull || note.isPart ? { cut: true } : {}) })
  }
  return { text: text === '' ? '' : `# Notes for the role ${roleId}${text}`, used, leftOut }
}

/** Ends with a whole character. */
const beginningOf = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
}
