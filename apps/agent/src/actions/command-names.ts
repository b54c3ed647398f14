/** The names in a command: the words of its shell with quotes and known variables resolved, and everything inside a word. */
import os from 'node:os'
import { pathsOfFileUrl } from './file-urls'
import { ANY, commandsWithin, meaningsOf, ONE, type Shell, type WordMeaning } from './shell-meaning'
import { readingsOf } from './shell-spaces'
import { cutCommand, LONGEST_COMMAND, type SimpleCommand } from './shell-words'

export interface CommandNames {
  /** As a shell would pass them on. */
  words: string[]
  /** Patterns that a shell replaces with file names; they contain `ANY` and `ONE`. */
  patterns: string[]
  /** Parts of which nobody knows here what they name, as they were written. */
  unknown: string[]
}

/** The texts of the commands in a tool's input, and the words that need no shell. */
interface Commands {
  texts: string[]
  argv: string[]
}

const COMMAND_FIELDS = ['command', 'cmd', 'script', 'argv', 'args'] as const

function commandsIn(input: unknown): Commands {
  if (typeof input !== 'object' || input === null) return { texts: [], argv: [] }
  const found = COMMAND_FIELDS.map((field) => (input as Record<string, unknown>)[field])
  const texts = found.filter((one) => typeof one === 'string')
  const argv = found.flatMap((one) => (Array.isArray(one) ? one.filter((part) => typeof part === 'string') : []))
  return { texts, argv }
}

/** Every word, wherever in the text it stands: also in comments, documents and the code of other languages. For refusals. */
export function wordsOf(input: unknown, cwd: string): string[] {
  const { texts, argv } = commandsIn(input)
  const { words } = namesOfCommand(input, cwd)
  const whole = [...texts, ...argv]
  // A long command repeats most of its words.
  const different = new Set([...whole, ...whole.flatMap(looseWords), ...words, ...wordsOfDocuments(texts, cwd)])
  return [...different].flatMap((word) => [word, ...pathsOfFileUrl(word)]).filter(isName)
}

interface Reading {
  shell: Shell
  found: CommandNames
  /** Characters that may still be read. */
  left: number
  /** What each word means, and what stands in each text: a long command repeats most of them. */
  meanings: Map<string, WordMeaning[]>
  names: Map<string, string[]>
}

/**
 * A text is read once for each kind of its spaces, and so is each command inside it: what a person types takes a few times
 * its own length, and what was made to hold this process up takes thousands of times as much.
 */
const TIMES_READ = 16
const SHORT_COMMAND = 2_048
const MOST_READ = 2 * LONGEST_COMMAND

function readingOf(texts: readonly string[], shell: Shell): Reading {
  const length = Math.max(SHORT_COMMAND, texts.join('').length)
  const found = { words: [], patterns: [], unknown: [] }
  const left = Math.min(MOST_READ, TIMES_READ * length)
  return { shell, found, left, meanings: new Map(), names: new Map() }
}

/** Takes so much of what is left. False: there is no more, and nobody knows what this names. */
function takes(reading: Reading, length: number, text: string): boolean {
  reading.left -= length
  if (reading.left < 0) reading.found.unknown.push(beginOf(text))
  return reading.left >= 0
}

const beginOf = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** The words that its shell would see, and what it would do with them. */
export function namesOfCommand(input: unknown, cwd: string): CommandNames {
  const { texts, argv } = commandsIn(input)
  const all = [...texts, ...argv]
  const reading = readingOf(all, { cwd, changed: changedIn(all.join('\n')) })
  for (const text of texts) readText(text, reading, 0)
  for (const text of argv) add(reading, text)
  if (argv.some(isShell)) for (const text of argv) if (isCode(text)) readText(text, reading, 1)
  return reading.found
}

/** Commands inside commands. */
const DEEPEST = 6

function readText(text: string, reading: Reading, depth: number): void {
  const { unknown } = reading.found
  if (text.length > LONGEST_COMMAND) unknown.push(beginOf(text))
  if (/\b(?:extglob|globstar|dotglob|nocaseglob)\b/i.test(text)) unknown.push('shopt')
  for (const one of readingsOf(text)) {
    if (!takes(reading, one.length, one)) return
    for (const command of cutCommand(one)) readSimple(command, reading, depth)
  }
}

/** `<<` may not start a document: in `((1 << 2))` a number follows it, and the text after that is a command. */
function wordsOfDocuments(texts: readonly string[], cwd: string): string[] {
  const reading = readingOf(texts, { cwd, changed: new Set() })
  const withDocuments = texts.flatMap(readingsOf).filter((text) => text.includes('<<'))
  for (const { documents } of withDocuments.flatMap(cutCommand))
    for (const document of documents) readText(document.text, reading, 1)
  return reading.found.words
}

function readSimple({ words, documents }: SimpleCommand, reading: Reading, depth: number): void {
  const { shell, found } = reading
  const texts: string[] = []
  const inner: string[] = []
  for (const word of words) {
    const meanings = remembered(reading.meanings, word, () => meaningsOf(word, shell))
    if (!takes(reading, (meanings.length - 1) * word.length, word)) return
    for (const { text, nested, unknown } of meanings) {
      inner.push(...nested)
      found.unknown.push(...unknown)
      if (text === null) continue
      texts.push(text)
      add(reading, text)
    }
  }
  const runsCode = texts.some(isShell)
  if (runsCode) inner.push(...texts.filter(isCode))
  for (const { text, quoted } of documents) {
    if (runsCode) inner.push(text)
    else if (!quoted) inner.push(...commandsWithin(text, shell))
  }
  if (depth >= DEEPEST) found.unknown.push(...inner)
  else for (const text of inner) readText(text, reading, depth + 1)
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

function add({ found, names }: Reading, text: string): void {
  for (const name of remembered(names, text, () => namesWithin(text))) {
    if (name.includes(ANY) || name.includes(ONE)) found.patterns.push(name)
    else found.words.push(name)
  }
}

const MOST_NAMES = 48
const LONGEST_NAME = 4_096

/** A word whole, and what may be a name inside it: `-C/dir`, `--file=/dir`, `key=@file`, `-v/a:/b`. */
export function namesWithin(text: string): string[] {
  if (text.length > 2 * LONGEST_NAME) return []
  const names = new Set([text, firstOf(text)])
  const flag = /^-[A-Za-z0-9]+/.exec(text)?.[0] ?? ''
  for (let at = 2; at <= Math.min(flag.length, 10); at += 1) names.add(text.slice(at)).add(firstOf(text.slice(at)))
  if (text[0] === '-' && text.includes('/')) names.add(text.slice(text.indexOf('/')))
  for (const { index } of text.matchAll(/[=:,@+]/g)) {
    if (names.size > MOST_NAMES) break
    const rest = text.slice(index + 1)
    names.add(rest).add(firstOf(rest))
  }
  names.delete('')
  // The end of `-Isrc/`.
  if (text !== '/' && !/[=:,@A-Za-z0-9-]\/$/.test(text)) names.delete('/')
  return [...names].filter(isName)
}

/** The parts of a list such as `/a:/b`. */
const firstOf = (text: string): string => text.split(/[:,;]/, 1)[0] ?? ''

/** Code of any language, cut roughly: at every space that any language knows, and at those of a shell. */
const looseWords = (text: string): string[] =>
  [/[\s'"`;|&<>()$={}:,@[\]]+/, /[ \t\n'"`;|&<>()$={}:,@[\]]+/].flatMap((signs) => withHome(text).split(signs))

const withHome = (text: string) =>
  text.replace(/\$HOME\b|\$\{HOME\}|(?<![\w/.])~(?=\/|[\s'"`;|&)]|$)/g, () => os.homedir())

const SHELLS = /^(?:.*\/)?(?:(?:ba|da|z|k|mk|a|c|tc|fi)?sh|eval|trap|su|runuser|watch|script|parallel)$/
const isShell = (word: string): boolean => SHELLS.test(word)
const isCode = (text: string): boolean => /[\s$`*?~;|&<>{}]/.test(text)

/** A variable whose bare name stands in the command may be set by it. */
function changedIn(text: string): Set<string> {
  return new Set([...text.matchAll(/(?<![$\w{])(HOME|PWD|USER|LOGNAME|TMPDIR)\b/g)].map(([, name = '']) => name))
}

/** Only names of a length that a kernel accepts. */
export function isName(word: string): boolean {
  return word !== '' && word.length <= LONGEST_NAME && !word.includes('\0')
}
