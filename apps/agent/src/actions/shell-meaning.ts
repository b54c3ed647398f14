/**
 * What a word of a command means, as far as that is known before it runs: quotes are removed, `~`, `$HOME`, `$PWD` and the
 * like are expanded, alternatives in braces are written out. The rest is a pattern, or unknown.
 */
import os from 'node:os'
import { homeOf } from './home-folders'
import { endOfNested, endOfPart } from './shell-scan'

/** In the text of a word: any letters but `/`, and any one letter. No file name that a person types holds them. */
export const ANY = '\uE000'
export const ONE = '\uE001'

export interface WordMeaning {
  /** Without quotes; a pattern's signs are `ANY` and `ONE`. Null where a part of it is not known. */
  text: string | null
  /** Parts that are not known, as they were written. */
  unknown: string[]
  /** Commands inside it, whose output is put in. */
  nested: string[]
}

export interface Shell {
  /** Where the command starts. */
  cwd: string
  /** Variables that the command itself may change: `HOME`, `PWD` and so on are not known in it. */
  changed: ReadonlySet<string>
}

const MOST_ALTERNATIVES = 64
/** All of them together: a long word has fewer. */
const LONGEST_ALTERNATIVES = 64 * 1024

/** One for each of the alternatives in its braces. */
export function meaningsOf(word: string, shell: Shell): WordMeaning[] {
  const most = Math.max(1, Math.floor(LONGEST_ALTERNATIVES / (word.length + 1)))
  const alternatives = expandBraces(word, Math.min(MOST_ALTERNATIVES, most))
  if (alternatives === null) return [{ text: null, unknown: [word], nested: [] }]
  return alternatives.map((one) => meaningOf(one, shell))
}

function expandBraces(word: string, most: number): string[] | null {
  const group = findGroup(word)
  if (group === 'too many') return null
  if (!group) return [word]
  const { from, to, parts } = group
  if (parts.length > most) return null
  const expanded = parts.map((part) =>
    expandBraces(`${word.slice(0, from)}${part}${word.slice(to)}`, Math.floor(most / parts.length)),
  )
  return expanded.some((one) => one === null) ? null : expanded.flatMap((one) => one ?? [])
}

interface Group {
  from: number
  to: number
  parts: string[]
}

/** A longer group, and a word with more brackets than that, is not written out. */
const LONGEST_GROUP = 4_096
const MOST_BRACKETS = 64

/** The first `{a,b}` or `{1..3}` that is not quoted. */
function findGroup(word: string): Group | null | 'too many' {
  let brackets = 0
  for (let at = 0; at < word.length; at = endOfPart(word, at)) {
    if (word[at] !== '{') continue
    if (++brackets > MOST_BRACKETS) return 'too many'
    const group = readGroup(word.slice(0, at + LONGEST_GROUP), at)
    if (group) return group
  }
  return null
}

function readGroup(word: string, from: number): Group | null {
  const parts = ['']
  let depth = 0
  for (let at = from + 1; at < word.length; ) {
    const end = endOfPart(word, at)
    const part = word.slice(at, end)
    if (part === '}' && depth === 0) {
      const [only = ''] = parts
      if (parts.length > 1) return { from, to: end, parts }
      return /^(-?\d+|\w)\.\.(-?\d+|\w)/.test(only) ? { from, to: end, parts: ['*'] } : null
    }
    if (part === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += part
    if (part === '{') depth += 1
    if (part === '}') depth -= 1
    at = end
  }
  return null
}

interface Piece {
  text?: string
  unknown?: string
  nested?: string[]
}

function meaningOf(word: string, shell: Shell): WordMeaning {
  const pieces: Piece[] = []
  for (let at = 0; at < word.length; ) {
    const tilde = tildeEnd(word, at)
    const end = tilde ?? patternEnd(word, at) ?? endOfPart(word, at)
    const part = word.slice(at, end)
    pieces.push(tilde === null ? pieceOf(part, shell) : tildePiece(part, shell))
    at = end
  }
  const text = pieces.map((piece) => piece.text ?? '').join('')
  const unknown = pieces.flatMap((piece) => piece.unknown ?? [])
  // A number may be any process's, and below it lies whatever that process sees.
  if (/^\/proc\/.*[\uE000\uE001]/.test(text)) unknown.push(word)
  // Where the temporary files are is not what matters, as long as nothing leads out of there.
  if (/\$\{?TMPDIR/.test(word) && /\.\./.test(word)) unknown.push('$TMPDIR')
  return { text: unknown.length > 0 ? null : text, unknown, nested: pieces.flatMap((piece) => piece.nested ?? []) }
}

/** `~`, `~user`, `~+` at the start of a word, or where an assignment or a list of folders begins a name. */
function tildeEnd(word: string, at: number): number | null {
  if (word[at] !== '~' || (at > 0 && !/[=:,@]/.test(word[at - 1] ?? ''))) return null
  const name = /^~[\w.+-]*(?=[/:,]|$)/.exec(word.slice(at, at + 256))
  return name ? at + name[0].length : null
}

/** `[a-z]`, which stands for one letter; `(a|b)`, which only some shells know. */
function patternEnd(word: string, at: number): number | null {
  if (word[at] === '(') return endOfNested(word, at + 1, ')')
  if (word[at] !== '[') return null
  const found = /^\[[!^]?\]?[^\]/]*\]/.exec(word.slice(at, at + 256))
  return found ? at + found[0].length : null
}

function pieceOf(part: string, shell: Shell): Piece {
  if (part === '*') return { text: ANY }
  if (part === '?') return { text: ONE }
  if (part.length > 1 && part[0] === '[') return { text: ONE }
  if (part[0] === '(') return part === '()' ? { text: part } : { unknown: part, nested: [part.slice(1, -1)] }
  if (part[0] === '\\') return { text: part[1] === '\n' ? '' : (part[1] ?? '\\') }
  if (part[0] === "'") return { text: part.slice(1, part.endsWith("'") && part.length > 1 ? -1 : undefined) }
  if (part.startsWith("$'")) return { text: decodeAnsi(part.slice(2, -1)) }
  if (part[0] === '"') return quotedPiece(part.slice(1, -1), shell)
  if (part.startsWith('$"')) return quotedPiece(part.slice(2, -1), shell)
  if (part[0] === '`') return { unknown: part, nested: [part.slice(1, -1).replace(/\\([`\\$])/g, '$1')] }
  if (part[0] === '$') return dollarPiece(part, shell)
  return { text: part }
}

function tildePiece(part: string, shell: Shell): Piece {
  const name = part.slice(1)
  if (name === '+') return variable('PWD', part, shell)
  if (name === '' && shell.changed.has('HOME')) return { unknown: part }
  const home = /^[+-]|^\d/.test(name) ? undefined : homeOf(name)
  return home === undefined ? { unknown: part } : { text: home }
}

/** The commands whose output is put into a text that is no word, such as a document. */
export const commandsWithin = (text: string, shell: Shell): string[] => quotedPiece(text, shell).nested ?? []

function quotedPiece(inner: string, shell: Shell): Piece {
  const pieces: Piece[] = []
  for (let at = 0; at < inner.length; ) {
    const end = /["']/.test(inner[at] ?? '') ? at + 1 : endOfPart(inner, at)
    const part = inner.slice(at, end)
    if (part[0] === '$' || part[0] === '`') pieces.push(pieceOf(part, shell))
    else pieces.push({ text: /^\\[$`"\\]/.test(part) ? (part[1] ?? '') : part === '\\\n' ? '' : part })
    at = end
  }
  const unknown = pieces.flatMap((piece) => piece.unknown ?? [])
  return {
    text: pieces.map((piece) => piece.text ?? '').join(''),
    nested: pieces.flatMap((piece) => piece.nested ?? []),
    ...(unknown.length > 0 ? { unknown: unknown.join(' ') } : {}),
  }
}

function dollarPiece(part: string, shell: Shell): Piece {
  if (part === '$') return { text: '$' }
  if (part.startsWith('$((')) return { text: ANY }
  if (part.startsWith('$(')) return substitution(part)
  const name = /^\$\{?(\w+|[#?$!@*-])\}?$/.exec(part)?.[1]
  if (name !== undefined) return variable(name, part, shell)
  if (/^\$\{#\w+\}$/.test(part)) return { text: ANY }
  return { unknown: part, nested: [...part.matchAll(/\$\(([^()]*)\)/g)].map(([, inner = '']) => inner) }
}

/** `$(cat <<'X' … X)` is the text that stands there, and nothing else. */
function substitution(part: string): Piece {
  const inner = part.slice(2, -1)
  const [head = '', , mark = ''] = /^[ \t\n]*cat[ \t]*<<-?[ \t]*(['"])(\w+)\1[ \t]*\n/.exec(inner) ?? []
  const body = inner.slice(head.length).replace(/(?<![ \t\n])[ \t\n]+$/, '')
  if (head === '' || !body.endsWith(`\n${mark}`)) return { unknown: part, nested: [inner] }
  const text = body.slice(0, -mark.length - 1)
  return text.split('\n').includes(mark) ? { unknown: part, nested: [inner] } : { text }
}

/** Numbers, which are no names of files worth a question. */
const NUMBERS = new Set(['#', '?', '$', '!', '-', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO'])

function variable(name: string, part: string, shell: Shell): Piece {
  if (NUMBERS.has(name)) return { text: ANY }
  if (shell.changed.has(name)) return { unknown: part }
  switch (name) {
    case 'HOME':
      return { text: os.homedir() }
    case 'PWD':
      return { text: shell.cwd }
    case 'USER':
    case 'LOGNAME':
      return { text: os.userInfo().username }
    case 'TMPDIR':
      return { text: os.tmpdir() }
    default:
      return { unknown: part }
  }
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', e: '\x1b' }

function decodeAnsi(text: string): string {
  return text.replace(
    /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[\s\S])/g,
    (_all, code: string) => {
      const hex = /^[xuU](.+)/.exec(code)?.[1]
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16))
      if (/^[0-7]/.test(code)) return characterOf(Number.parseInt(code, 8) & 0xff)
      return letters[code] ?? code
    },
  )
}

const characterOf = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : '')
