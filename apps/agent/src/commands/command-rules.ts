/**
 * The allow rules of Claude Code for commands, read strictly. Pure. Each simple command of a line has to match one by itself, and
 * a line that not every shell reads alike matches none, except under the rule that allows anything.
 */
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

/** `rules`: a whole command, words with `:*` or ` *` behind them, or `*`. */
export function isAllowedByRules(text: string, rules: readonly string[]): boolean {
  if (rules.some((rule) => rule === '*' || rule === ':*')) return true
  if (rules.includes(text)) return true
  const commands = simpleCommandsOf(text, { pipes: true })
  return commands?.every((command) => rules.some((rule) => matches(command, rule))) ?? false
}

function matches(command: SimpleCommand, rule: string): boolean {
  const beginning = /^(.*?)(?::\*| \*)$/s.exec(rule)?.[1]
  const words = (beginning ?? rule).split(/\s+/).filter((word) => word !== '')
  if (words.length === 0 || words.some((word) => word.includes('*'))) return false
  if (beginning === undefined && words.length !== command.length) return false
  return words.every((word, at) => command[at]?.text === word && (at > 0 || command[at]?.quoted === false))
}
