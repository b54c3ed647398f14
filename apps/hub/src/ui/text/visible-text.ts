/**
 * Makes invisible characters visible (PERM-7): control, bidirectional and zero-width characters become marked pieces with
 * their code point. Line breaks and tabs stay as they are. Pure.
 */
export type TextPiece = { kind: 'text'; text: string } | { kind: 'hidden'; text: string; label: string }

/** Code points that draw nothing, or change what is drawn around them. Tab (9) and line feed (10) stay as they are. */
const ranges: ReadonlyArray<readonly [number, number]> = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe01ef],
]
const escaped = (code: number) => `\\u{${code.toString(16)}}`
const hidden = new RegExp(`[${ranges.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('')}]`, 'gu')

export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    pieces.push({ kind: 'hidden', text: match[0], label: codePoint(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
