/**
 * A command that is understood to the last letter, by every shell alike: simple commands on one line, joined by `;` or
 * `&&`, each of a short list of programs, each word written out. Some of them write (`echo`, `date`), and these read
 * nothing; the others print (`cat`, `tail`), and these write nothing. So what lies in a file neither runs, nor gets into
 * another file.
 *
 * The grammar says what it takes, not what it leaves out: whatever it does not know is no such command.
 */

export interface PlainCommand {
  /** The command without the names of the files that it writes to. */
  left: string
  targets: string[]
}

/** Longer commands are hardly plain. */
const LONGEST = 16 * 1024

/** Null for a command of any other kind. */
export function cutPlain(text: string): PlainCommand | null {
  if (text.length > LONGEST) return null
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

interface Token {
  kind: 'word' | 'output' | 'target' | 'joint' | 'stream'
  raw: string
  /** Without its quotes. */
  text: string
}

interface Command {
  words: string[]
  targets: string[]
}

/** `#`, `~`, `*`, brackets and every other sign that some shell knows are none of these letters. `=cat` is a place for zsh. */
const BARE = /[A-Za-z0-9_.,@%+:/-][A-Za-z0-9_.,@%+:/=-]*/y
/** A backslash before a letter stays as it is, in both kinds of quotes. `!` may call back an old command. */
const SINGLE = /'((?:[^'\\$`\p{C}\p{Z}]| |\\[a-z0-9])*)'/uy
const DOUBLE = /"((?:[^"\\$`!\p{C}\p{Z}]| |\\[a-z0-9])*)"/uy
const OUTPUT = /[12]?>>?(?![>&|(!])/y
const STREAM = /2>&1|1?>&2/y
const JOINT = /;|&&/y
const BLANK = /[ \t]*/y

const ENDS_WORD = /[ \t;]|&&|$/y
const ENDS_WORD_OR_WRITES = /[ \t;>]|&&|$/y

function tokensOf(whole: string): Token[] | null {
  const text = whole.replace(/[ \t\n]+$/, '')
  const tokens: Token[] = []
  let at = takeAt(BLANK, text, 0)?.length ?? 0
  while (at < text.length) {
    const token = tokenAt(text, at, tokens.at(-1)?.kind === 'output')
    if (token === null) return null
    tokens.push(token)
    at += token.raw.length
    at += takeAt(BLANK, text, at)?.length ?? 0
  }
  return tokens.length > 0 ? tokens : null
}

function tokenAt(text: string, at: number, isTarget: boolean): Token | null {
  const kinds = [
    ['stream', STREAM, ENDS_WORD],
    ['output', OUTPUT, null],
    ['joint', JOINT, null],
  ] as const
  if (!isTarget) {
    for (const [kind, pattern, end] of kinds) {
      const raw = takeAt(pattern, text, at)
      if (raw !== null && (end === null || takeAt(end, text, at + raw.length) !== null)) return { kind, raw, text: raw }
    }
  }
  for (const pattern of [BARE, SINGLE, DOUBLE]) {
    const raw = takeAt(pattern, text, at)
    if (raw === null) continue
    // `5>log` names a stream, `a>log` does not.
    const end = isTarget || /^\d+$/.test(raw) ? ENDS_WORD : ENDS_WORD_OR_WRITES
    if (takeAt(end, text, at + raw.length) === null) return null
    return { kind: isTarget ? 'target' : 'word', raw, text: pattern === BARE ? raw : raw.slice(1, -1) }
  }
  return null
}

function takeAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

/** An empty command is left out at the end only. */
function splitAtJoints(tokens: readonly Token[]): Token[][] {
  const commands: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === 'joint') commands.push([])
    else commands.at(-1)?.push(token)
  }
  return tokens.at(-1)?.text === ';' ? commands.slice(0, -1) : commands
}

/** Where output ends: there is nothing to read. */
const NOWHERE = '/dev/null'

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
  // `-v` sets a variable. A shell may count for `%d`, and whoever counts can set one too.
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
