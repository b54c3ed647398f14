/**
 * The shipped memory of a role: a folder of Markdown notes. Those that share most words with the first input come first,
 * as many as fit into the limit. `MemorySource` is the socket for another kind of memory.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '@roundhouse/owner'

export interface MemorySource {
  /** Text for the system prompt; empty when there is nothing. */
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
      // The role's name comes from the hub and becomes part of a path.
      if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(roleId) || !existsSync(role)) return ''
      const names = readdirSync(role).filter((name) => name.endsWith('.md'))
      // A person wrote them, and may keep some elsewhere.
      const read = (name: string) => readOwnFile(join(role, name), { links: 'followed' }).trim()
      const notes = names.map((name) => ({ name, text: read(name) }))
      return composeNotes(roleId, rankNotes(notes, query), LIMIT_CHARS)
    },
  }
}

/** Best first: by shared words, rarer words counting more; equal ones by name, so that the order never changes by itself. */
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

/** Whole notes as long as they fit; the first that does not is cut, the rest left out. */
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
