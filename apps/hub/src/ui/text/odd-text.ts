/**
 * Finds look-alikes in a command or a file name (PERM-7): letters of another alphabet in a Latin word, characters that
 * replace an ASCII one, spaces that are not ordinary spaces, and spaces at the end of a line. Pure.
 */
import { piecesOf, type TextPiece } from './visible-text'

export type OddKind = 'lookalike' | 'space' | 'trailing'
export type CodePiece = TextPiece | { kind: OddKind; text: string; label: string }

interface Mark {
  at: number
  text: string
  kind: OddKind
  label: string
}

const alphabets = ['Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Deseret'] as const
const scripts = alphabets.map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)
/** Letters that are drawn like Latin ones: a word of nothing else reads as a Latin word. */
const twins = new Set('асеорхуіјѕһԁԛԝӏвАВЕКМНОРСТХУІЈЅԌοναρυκιΑΒΕΖΗΙΚΜΝΟΡΤΥΧսօոցհ')
/** Raised and lowered figures and letters are no disguise. */
const raised = /[\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02ff\u1d2c-\u1d6a\u2070-\u209c]/u
const signs = new Map([...'∕⁄⧸꞉∶ǃʼ‚٫ɡɑ'].map((sign) => [sign, true]))
/** A dash where a minus sign would begin an option. */
const dash = /(?<=^|[\s=;|&('"])[\u2010-\u2015\u2043\u2212\ufe58\ufe63]+(?=[\p{L}\p{N}\u2010-\u2015-])/gmu
const word = /[\p{L}\p{M}\p{N}]+/gu
const oddSpace = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu
/** Begins where a run of spaces does: a long run in the middle must not be tried from each of its places. */
const trailing = /(?<![ \t])[ \t]+$/gmu

export function codePieces(text: string): CodePiece[] {
  const pieces: CodePiece[] = []
  let from = 0
  for (const { at, ...mark } of marksOf(text)) {
    if (at < from) continue
    if (at > from) pieces.push(...piecesOf(text.slice(from, at)))
    pieces.push(mark)
    from = at + mark.text.length
  }
  if (from < text.length || pieces.length === 0) pieces.push(...piecesOf(text.slice(from)))
  return pieces
}

/** One line for people; null where there is nothing to say. */
export function oddNote(texts: readonly string[]): string | null {
  const marks = texts.flatMap(marksOf)
  const named = (kind: OddKind) => {
    const labels = [
      ...new Set(marks.filter((mark) => mark.kind === kind).map(({ text, label }) => nameOf(kind, text, label))),
    ]
    return labels.length > MOST_NAMED ? `${labels.slice(0, MOST_NAMED).join(', ')} and others` : labels.join(', ')
  }
  const [lookalikes, spaces] = [named('lookalike'), named('space')]
  const parts = [
    ...(lookalikes ? [`characters that look like others: ${lookalikes}`] : []),
    ...(spaces ? [`spaces that are no ordinary spaces: ${spaces}`] : []),
    ...(named('trailing') ? ['spaces at the end of a line'] : []),
  ]
  return parts.length > 0 ? `It contains ${parts.join('; ')}.` : null
}

const MOST_NAMED = 5
const nameOf = (kind: OddKind, text: string, label: string) => (kind === 'lookalike' ? `${text} (${label})` : label)

function marksOf(text: string): Mark[] {
  // Most commands are ASCII through and through.
  const marks = /[^\0-\x7f]/.test(text) ? [...lookalikes(text), ...spaces(text)] : []
  const ends = [...text.matchAll(trailing)].map((found) => mark(found, 'trailing', spaceName(found[0])))
  return [...marks, ...ends].sort((a, b) => a.at - b.at)
}

function lookalikes(text: string): Mark[] {
  const inWords = [...text.matchAll(word)].flatMap((found) => {
    const [letters] = found
    const isLatin = /\p{Script=Latin}/u.test(letters)
    if (!isLatin && ![...letters].every((letter) => twins.has(letter) || /\p{N}/u.test(letter))) return []
    return each(found, (letter) => alphabetOf(letter))
  })
  const stands = [...text.matchAll(/[^\0-\x7f]/gu)].flatMap((found) =>
    standsForAscii(found[0]) ? [lookalike(found)] : [],
  )
  return [...inWords, ...stands, ...[...text.matchAll(dash)].map((found) => lookalike(found))]
}

function each({ 0: letters, index }: RegExpExecArray, why: (letter: string) => string | undefined): Mark[] {
  let at = index
  return [...letters].flatMap((letter) => {
    const name = why(letter)
    const found = { at, text: letter, kind: 'lookalike' as const, label: `${name}, ${codePoint(letter)}` }
    at += letter.length
    return name === undefined ? [] : [found]
  })
}

const alphabetOf = (letter: string) => scripts.find(([, script]) => script.test(letter))?.[0]
const lookalike = (found: RegExpExecArray) => mark(found, 'lookalike', codePoint(found[0]))
const spaces = (text: string) => [...text.matchAll(oddSpace)].map((found) => mark(found, 'space', codePoint(found[0])))
const mark = ({ 0: text, index }: RegExpExecArray, kind: OddKind, label: string): Mark => ({
  at: index,
  text,
  kind,
  label,
})

function standsForAscii(sign: string): boolean {
  if (raised.test(sign) || sign.search(oddSpace) >= 0) return false
  return signs.has(sign) || /^[!-~]$/.test(sign.normalize('NFKC'))
}

const spaceName = (run: string) => (run.length === 1 ? 'space' : `${run.length} spaces`)
const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
