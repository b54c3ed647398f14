/**
 * The rules of Claude Code for commands, read strictly. Pure. A rule that allows covers a line only where each simple command of it
 * matches one, in a spelling that every shell reads alike; a rule that asks counts wherever it may match.
 */
import { type SimpleCommand, type SimpleWord, simpleCommandsOf } from './simple-commands'

/**
 * The words behind what the rules name, which a caller looks at as names; null where the line is not covered. `rules`: a whole
 * command, words with `:*` or ` *` behind them, or `*`.
 */
export function wordsBehindRules(text: string, rules: readonly string[]): string[] | null {
  if (rules.some(isAnyCommand) || rules.includes(text)) return []
  const commands = simpleCommandsOf(text, { pipes: true })
  const behind = commands?.map((command) => wordsBehind(command, rules)) ?? [null]
  return behind.every((words) => words !== null) ? behind.flat() : null
}

/** Also where nobody can tell. */
export function isAskedByRules(text: string, rules: readonly string[]): boolean {
  if (rules.length === 0) return false
  if (rules.some(isAnyCommand) || rules.includes(text)) return true
  const commands = simpleCommandsOf(text, { pipes: true })
  return commands === null || commands.some((command) => wordsBehind(command.map(withoutQuotes), rules) !== null)
}

const withoutQuotes = ({ text }: SimpleWord): SimpleWord => ({ text, quoted: false })

export const isAnyCommand = (rule: string): boolean => rule === '*' || rule === ':*'

function wordsBehind(command: SimpleCommand, rules: readonly string[]): string[] | null {
  const lengths = rules.flatMap((rule) => matchedWords(command, rule) ?? [])
  return lengths.length === 0 ? null : command.slice(Math.max(...lengths)).map(({ text }) => text)
}

/** The words of a rule, and whether it names the whole command and not its beginning. */
export function wordsOfRule(rule: string): [words: string[], isWhole: boolean] {
  const beginning = /^(.*?)(?::\*| \*)$/s.exec(rule)?.[1]
  return [(beginning ?? rule).split(/\s+/).filter((word) => word !== ''), beginning === undefined]
}

/** How many words of the command the rule names. */
function matchedWords(command: SimpleCommand, rule: string): number | null {
  const [words, isWhole] = wordsOfRule(rule)
  if (words.length === 0 || words.some((word) => word.includes('*'))) return null
  if (isWhole && words.length !== command.length) return null
  const matches = words.every((word, at) => command[at]?.text === word && (at > 0 || command[at]?.quoted === false))
  return matches ? words.length : null
}
