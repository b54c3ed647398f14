/**
 * Finds the end of a quoted or bracketed part of a command. Pure, with a limited depth: everything below the limit is one
 * part.
 */

const DEEPEST = 40

/** Letters that mean only themselves wherever a command is cut: whatever this file and its callers look for is not among them. */
const LETTERS = /[^ \t\n\\'"`$~*?#;&|<>()[\]{},]+/y

/**
 * The index after the part that begins at `at`: a quoted text, a substitution, an escaped sign, letters in a row, or one sign.
 * A long name is one part, so that a caller takes as many steps as the text has signs, and not letters.
 */
export function endOfPart(text: string, at: number, depth = 0): number {
  if (depth > DEEPEST) return text.length
  switch (text[at]) {
    case '\\':
      return at + 2
    case "'":
      return after(text, "'", at + 1)
    case '"':
      return endOfNested(text, at + 1, '"', depth)
    case '`':
      return endOfNested(text, at + 1, '`', depth)
    case '$':
      return endOfDollar(text, at, depth)
    default:
      LETTERS.lastIndex = at
      return LETTERS.test(text) ? LETTERS.lastIndex : at + 1
  }
}

function endOfDollar(text: string, at: number, depth: number): number {
  switch (text[at + 1]) {
    case '(':
      return endOfNested(text, at + 2, ')', depth)
    case '{':
      return endOfNested(text, at + 2, '}', depth)
    case "'":
      return endOfAnsi(text, at + 2)
    case '"':
      return endOfNested(text, at + 2, '"', depth)
    default:
      return at + 1 + (/^(?:[A-Za-z_]\w*|[0-9#?$!@*-])/.exec(text.slice(at + 1, at + 257))?.[0].length ?? 0)
  }
}

/** In double quotes a single quote is a letter; in a substitution round brackets are counted. */
export function endOfNested(text: string, from: number, closing: string, depth = 0): number {
  let at = from
  while (at < text.length && text[at] !== closing) {
    if (isLetterIn(closing, text, at)) at += 1
    else if (closing === ')' && text[at] === '(') at = endOfNested(text, at + 1, ')', depth + 1)
    else at = endOfPart(text, at, depth + 1)
  }
  return Math.min(at + 1, text.length)
}

/** Between double quotes, and between backticks, some signs mean nothing. */
function isLetterIn(closing: string, text: string, at: number): boolean {
  if (closing === '"') return text[at] === "'" || (text[at] === '$' && /["']/.test(text[at + 1] ?? ''))
  return closing === '`' && (text[at] === "'" || text[at] === '"')
}

function endOfAnsi(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function after(text: string, sign: string, from: number): number {
  const found = text.indexOf(sign, from)
  return found < 0 ? text.length : found + 1
}
