/** The simple commands of a command line, where every shell would read the same ones. Pure. */
import { NOWHERE, splitAtJoints, type Token, tokensOf } from './strict-shell'

export interface SimpleWord {
  text: string
  /** Quotes stand around it. */
  quoted: boolean
}

export type SimpleCommand = readonly SimpleWord[]

/**
 * Null where anything is not certain, and where a command does more than run its words: it writes to a file, or a part of it
 * is empty. Output that is thrown away, or joined to the other stream, changes nothing.
 */
export function simpleCommandsOf(text: string, options: { pipes?: boolean } = {}): SimpleCommand[] | null {
  const tokens = tokensOf(text, options)
  if (tokens === null) return null
  const commands = splitAtJoints(tokens).map(wordsOf)
  return commands.every((words) => words !== null) ? commands : null
}

function wordsOf(tokens: readonly Token[]): SimpleCommand | null {
  const [first] = tokens
  if (first?.kind !== 'word' || tokens.at(-1)?.kind === 'output') return null
  if (tokens.some(({ kind, text }) => kind === 'target' && text !== NOWHERE)) return null
  return tokens.filter(({ kind }) => kind === 'word').map(({ raw, text }) => ({ text, quoted: raw !== text }))
}
