/**
 * Whether a command is among those that begin with certain words. Pure. A beginning counts word by word and as it was
 * spelled: `npm test` covers neither `npm testx` nor `"npm" test` nor `/bin/npm test`. Each simple command of a line has to
 * be covered by itself, and behind its beginning stands only what is known to be harmless there (`known-commands.ts`).
 */
import { knownCommand, operandsOf } from './known-commands'
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

export type Beginning = readonly string[]

/** A word that is given to a command. */
export interface Operand {
  word: string
  /** No folder may be named here. */
  isFile: boolean
}

/** The words that are given to the commands, which a caller looks at as names; null where one is not covered. */
export function operandsBehind(beginnings: readonly Beginning[], text: string): Operand[] | null {
  const commands = simpleCommandsOf(text)
  if (commands === null) return null
  const operands = commands.map((command) => operandsOfCovered(command, beginnings))
  return operands.every((one) => one !== null) ? operands.flat() : null
}

function operandsOfCovered(command: SimpleCommand, beginnings: readonly Beginning[]): Operand[] | null {
  const words = command.map(({ text }) => text)
  const known = knownCommand(words)
  if (known === null) return null
  const isCovered = beginnings.some((one) => one.length >= known.length && beginsWith(command, one))
  const given = isCovered ? operandsOf(known, words.slice(known.length)) : null
  return given?.map((word) => ({ word, isFile: known.filesOnly })) ?? null
}

function beginsWith(command: SimpleCommand, beginning: Beginning): boolean {
  return (
    beginning.length <= command.length &&
    beginning.every((word, index) => command[index]?.quoted === false && command[index]?.text === word)
  )
}
