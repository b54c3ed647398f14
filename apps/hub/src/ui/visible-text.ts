/**
 * Makes characters that the eye cannot see visible (PERM-7): control, bidirectional and zero-width characters become
 * marked pieces with their code point. Line breaks and tabs stay as they are. Pure.
 */
export type TextPiece = { kind: 'text'; text: string } | { kind: 'hidden'; label: string }

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what this is for
const hidden = /[\u0000-\u0008\u000B\u000C\u000D\u000E-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]/gu

export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    pieces.push({ kind: 'hidden', label: codePoint(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

export function hasHidden(text: string): boolean {
  return text.search(hidden) >= 0
}

const codePoint = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
