/**
 * Splits a command line as a shell does: simple commands, their words as written, and the documents after `<<`. Leaves out
 * comments. Other files interpret the words; `shell-spaces.ts` knows other spaces.
 */
import { endOfNested, endOfPart } from './shell-scan'

export interface SimpleCommand {
  /** As written, with their quotes; includes the names that follow `<` and `>`. */
  words: string[]
  documents: HereDocument[]
}

export interface HereDocument {
  text: string
  /** The shell takes it as it stands. */
  quoted: boolean
}

/** Past this, the words of a command are not looked at one by one. */
export const LONGEST_COMMAND = 256 * 1024

interface Scan {
  text: string
  at: number
  commands: SimpleCommand[]
  current: SimpleCommand
  /** Words that were announced by `<<` and whose document comes after the line. */
  awaited: Array<{ mark: string; owner: SimpleCommand; indented: boolean }>
}

export function cutCommand(text: string): SimpleCommand[] {
  const first = { words: [], documents: [] }
  const scan: Scan = { text: text.slice(0, LONGEST_COMMAND), at: 0, commands: [first], current: first, awaited: [] }
  while (scan.at < scan.text.length) step(scan)
  return scan.commands.filter(({ words }) => words.length > 0)
}

function step(scan: Scan): void {
  const sign = scan.text[scan.at] ?? ''
  if (sign === '\n') endLine(scan)
  else if (sign === '#') scan.at = endOfLine(scan.text, scan.at)
  else if (scan.text.startsWith('<<', scan.at)) readDocumentMark(scan)
  else if (/[;&|()]/.test(sign)) endCommand(scan)
  else if (/[ \t<>]/.test(sign)) scan.at += 1
  else scan.current.words.push(readWord(scan))
}

function readWord(scan: Scan): string {
  const { text, at: from } = scan
  for (;;) {
    const sign = text[scan.at] ?? ''
    const soFar = text.slice(from, scan.at)
    // `name(a|b)` is a pattern of some shells; `list=(…)` holds words of its own.
    if (sign === '(' && soFar !== '' && !/^\w+\+?=$/.test(soFar)) scan.at = endOfNested(text, scan.at + 1, ')')
    else if (sign === '' || /[ \t\n;&|()<>]/.test(sign)) return soFar
    else scan.at = endOfPart(text, scan.at)
  }
}

function endCommand(scan: Scan): void {
  scan.at += 1
  scan.current = { words: [], documents: [] }
  scan.commands.push(scan.current)
}

/** `<<< text` is a word like any other. */
function readDocumentMark(scan: Scan): void {
  if (scan.text[scan.at + 2] === '<') {
    scan.at += 3
    return
  }
  const indented = scan.text[scan.at + 2] === '-'
  scan.at += indented ? 3 : 2
  while (/[ \t]/.test(scan.text[scan.at] ?? '')) scan.at += 1
  const mark = readWord(scan)
  if (mark !== '') scan.awaited.push({ mark, owner: scan.current, indented })
}

function endLine(scan: Scan): void {
  const { awaited } = scan
  endCommand(scan)
  scan.awaited = []
  for (const { mark, owner, indented } of awaited) {
    const plain = mark.replace(/\\\n|["'\\]/g, '')
    const lines: string[] = []
    while (scan.at < scan.text.length) {
      const end = endOfLine(scan.text, scan.at)
      const line = scan.text.slice(scan.at, end)
      scan.at = end + 1
      if ((indented ? line.replace(/^\t+/, '') : line) === plain) break
      lines.push(line)
    }
    owner.documents.push({ text: lines.join('\n'), quoted: plain !== mark })
  }
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}
