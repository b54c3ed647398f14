/** Which beginnings are worth an offer, for a command that is asked about (PERM-5). Pure. Only of commands that are known here. */
import { type Beginning, operandsBehind } from './command-beginnings'
import { knownCommand } from './known-commands'
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

/** More of them make no sentence. */
const MOST_BEGINNINGS = 3
const LONGEST_BEGINNING = 6
const LONGEST_WORD = 80

/** The shortest beginning of each of its simple commands that still says what it does: `npm test`, `npm run lint`, `ls`. */
export function ownBeginnings(text: string): Beginning[] | null {
  const beginnings = simpleCommandsOf(text)?.map(beginningOf) ?? []
  return beginnings.every((one) => one !== null) ? offered(beginnings, text) : null
}

/** The beginnings that a program suggests, if they can be granted here and cover the command. */
export function suggestedBeginnings(suggested: readonly Beginning[], text: string): Beginning[] | null {
  return suggested.every(isReadable) ? offered(suggested, text) : null
}

function offered(beginnings: readonly Beginning[], text: string): Beginning[] | null {
  const different = [...new Map(beginnings.map((one) => [one.join(' '), one])).values()]
  if (different.length === 0 || different.length > MOST_BEGINNINGS) return null
  return operandsBehind(different, text) === null ? null : different
}

function beginningOf(command: SimpleCommand): Beginning | null {
  const words = command.map(({ text }) => text)
  const known = knownCommand(words)
  return known === null ? null : words.slice(0, known.length)
}

const isReadable = (beginning: Beginning): boolean =>
  beginning.length <= LONGEST_BEGINNING && beginning.every((word) => word.length <= LONGEST_WORD)
