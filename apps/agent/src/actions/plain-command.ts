/**
 * Recognises plain commands, which every shell reads the same way: simple commands on one line, joined by `;` or `&&`, from
 * a short list of programs, with each word written out. Some of them write (`echo`, `date`) and read nothing; the others
 * print (`cat`, `tail`) and write nothing. The content of a file therefore neither runs nor gets into another file. The
 * grammar lists what it accepts: everything else is not a plain command.
 */

import { NOWHERE, splitAtJoints, type Token, tokensOf } from '../commands/strict-shell'

export interface PlainCommand {
  /** The command without the names of the files that it writes to. */
  left: string
  targets: string[]
}

/** Null for a command of any other kind. */
export function cutPlain(text: string): PlainCommand | null {
  const tokens = tokensOf(text)
  if (tokens === null) return null
  const commands: Command[] = []
  for (const command of splitAtJoints(tokens)) {
    const read = readCommand(command)
    if (read === null) return null
    commands.push(read)
  }
  const left = tokens.map((token) => (token.kind === 'target' && token.text !== NOWHERE ? '' : token.raw)).join(' ')
  return { left, targets: commands.flatMap(({ targets }) => targets) }
}

interface Command {
  words: string[]
  targets: string[]
}

function readCommand(tokens: readonly Token[]): Command | null {
  const [first] = tokens
  if (first?.kind !== 'word' || first.raw !== first.text || tokens.at(-1)?.kind === 'output') return null
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text)
  const targets = tokens.filter(({ kind, text }) => kind === 'target' && text !== NOWHERE).map(({ text }) => text)
  const [program = '', ...operands] = words
  if (targets.length === 0 && PRINTERS.get(program)?.(operands)) return { words, targets }
  return WRITERS.get(program)?.(operands) && targets.every((target) => isOrdinary(target) && !/^\d+$/.test(target))
    ? { words, targets }
    : null
}

type Takes = (operands: readonly string[]) => boolean

/** Programs that read no file. */
const WRITERS: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ['echo', () => true],
  // `-v` sets a variable. A shell may evaluate arithmetic for `%d`, which can set one too.
  ['printf', ([format = '-']) => !format.startsWith('-') && !/%(?![sb])/.test(format.replaceAll('%%', ''))],
  ['date', (operands) => operands.every((word) => /^(?:\+.*|-u|-R|-I[a-z]*|--utc|--iso-8601(?:=[a-z]+)?)$/.test(word))],
  ['pwd', (operands) => operands.length === 0],
  ['true', (operands) => operands.length === 0],
  ['sleep', (operands) => operands.every((word) => /^[\d.]+$/.test(word))],
  ['mkdir', (operands) => operands.every((word) => word === '-p' || isOrdinary(word))],
])

/** Programs that print the files that they name, and no other. */
const printsFiles: Takes = (operands) =>
  operands.every((word) => /^-[A-Za-z0-9]*$|^\+\d+$/.test(word) || isOrdinary(word))
const PRINTERS: ReadonlyMap<string, Takes> = new Map<string, Takes>(
  ['cat', 'head', 'tail', 'wc'].map((program) => [program, printsFiles]),
)

/**
 * The name of a file on a disk, no stream of the process (`/dev/fd/3`), and none that a shell would find for one of the
 * programs here.
 */
function isOrdinary(name: string): boolean {
  if (!/^[A-Za-z0-9_./][A-Za-z0-9_.,@%+:/= -]*$/.test(name)) return false
  const steps = name.split('/')
  const last = steps.at(-1) ?? ''
  const leaves = name.startsWith('/') || steps.includes('..')
  if (leaves && steps.some((step) => /^(?:dev|proc|sys)$/i.test(step))) return false
  return !WRITERS.has(last) && !PRINTERS.has(last)
}
