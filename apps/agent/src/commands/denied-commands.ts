/**
 * Whether a command is one that a rule denies (PERM-12). Pure. `yes`: one of its simple commands is. `unknown`: the command names the
 * program of the rule in another place, or is written so that not every shell reads it alike; only a person can tell.
 */
import { wordsOfRule } from './command-rules'
import { simpleCommandsOf } from './simple-commands'

/** `allWords`: every word that the command may name, also inside other commands. */
export function isDeniedByRule(text: string, rule: string, allWords: readonly string[]): 'yes' | 'no' | 'unknown' {
  const [words, isWhole] = wordsOfRule(rule)
  const [program = ''] = words
  const commands = simpleCommandsOf(text, { pipes: true })?.map((command) => command.map((word) => word.text))
  if (commands?.some((command) => matches(command, words, isWhole))) return 'yes'
  const named = commands ? commands.flatMap((command) => command.slice(1)) : allWords
  return named.some((word) => nameOf(word) === program || word.split(/\s+/).map(nameOf).includes(program))
    ? 'unknown'
    : 'no'
}

/** `/bin/rm` is `rm`. */
function matches([first = '', ...rest]: readonly string[], words: readonly string[], isWhole: boolean): boolean {
  const command = [nameOf(first), ...rest]
  return words.every((word, at) => command[at] === word) && (!isWhole || command.length === words.length)
}

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)
