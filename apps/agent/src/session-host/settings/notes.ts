/**
 * The memory of a role: a folder of Markdown notes. Notes that share the most words with the first input come first, as
 * many as fit the limit. Another kind of memory can implement `MemorySource`.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '@roundhouse/owner'

export interface MemorySource {
  /** Text for the system prompt; empty if there is none. */
  recall(roleId: string, query: string): string
}

export interface Note {
  name: string
  text: string
}

const LIMIT_CHARS = 16_000

export function notesFolder(folder: string): MemorySource {
  return {
    recall(roleId, query) {
      const role = join(folder, roleId)
      // The hub sends the role's name, and it becomes part of a path.
      if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(roleId) || !existsSync(role)) return ''
      const names = readdirSync(role).filter((name) => name.endsWith('.md'))
      // People write the notes and may link to other places.
      const read = (name: string) => readOwnFile(join(role, name), { links: 'followed' }).trim()
      const notes = names.map((name) => ({ name, text: read(name) }))
      return composeNotes(roleId, rankNotes(notes, query), LIMIT_CHARS)
    },
  }
}

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
export function composeNotes(roleId: string, notes: readonly Note[], limit: number): string {
  let text = ''
  for (const note of notes) {
    const piece = `\n\n## ${note.name.replace(/\.md$/, '')}\n\n${note.text}`
    if (text.length + piece.length > limit) {
      text += piece.slice(0, Math.max(0, limit - text.length))
      break
    }
    text += piece
  }
  return text === '' ? '' : `# Notes for the role ${roleId}${text}`
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
}
