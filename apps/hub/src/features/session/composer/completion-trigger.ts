/** Finds the part of a draft that can be completed at the caret. Pure. */
import { commandName, findCommand, type SlashCommand } from '@roundhouse/backend-types'

const LONGEST_QUERY = 300

export interface Trigger {
  kind: 'command' | 'file'
  /** The typed part. */
  query: string
  /** Its start in the text, including the sign. */
  from: number
  to: number
}

/** A slash command starts a prompt and is one word, so `/etc/hosts` is none. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const word = /^\/([^\s/]*)/.exec(text)
  if (!word || caret === 0 || caret > word[0].length || text[word[0].length] === '/') return fileAt(text, caret)
  return { kind: 'command', query: text.slice(1, caret), from: 0, to: word[0].length }
}

/** The word at the caret, if it begins with `@`. In `ana@example.org` no word does. */
function fileAt(text: string, caret: number): Trigger | null {
  const from = text.slice(0, caret).search(/(?<!\S)@[^\s@]*$/)
  if (from < 0 || caret - from > LONGEST_QUERY) return null
  const to = caret + (/^\S*/.exec(text.slice(caret))?.[0].length ?? 0)
  return { kind: 'file', query: text.slice(from + 1, caret), from, to }
}

/** In Claude Code's notation; other programs take it as text. */
export const mentionOf = (file: string): string => (/\s/.test(file) ? `@"${file}"` : `@${file}`)

/** Matches at the beginning come first, then matches anywhere. Aliases match too. */
export function matching(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const wanted = query.toLowerCase()
  const rank = ({ name, aliases = [] }: SlashCommand) => {
    const names = [name, ...aliases].map((one) => one.toLowerCase())
    if (names.some((one) => one.startsWith(wanted))) return 0
    return names.some((one) => one.includes(wanted)) ? 1 : 2
  }
  const ranked = commands.map((command) => ({ command, rank: rank(command) })).filter(({ rank }) => rank < 2)
  return ranked.sort((a, b) => a.rank - b.rank).map(({ command }) => command)
}

/** The name of a command that this program does not have, if its commands are known. */
export function unknownCommand(text: string, commands: readonly SlashCommand[] | undefined): string | null {
  const name = commandName(text)
  return name === null || !commands || commands.length === 0 || findCommand(commands, name) ? null : name
}
