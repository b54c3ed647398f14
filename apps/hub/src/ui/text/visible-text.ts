/**
 * Makes invisible characters visible (PERM-7): control, bidirectional, zero-width and blank characters become marked pieces
 * with their code point. Line breaks and tabs stay as they are. Pure.
 */
export type TextPiece = { kind: 'text'; text: string } | { kind: 'hidden'; text: string; label: string }

/**
 * Characters that draw nothing, or change what is drawn around them. Tab and line feed stay as they are, and so does the
 * sign that colours the picture before it.
 */
const hidden =
  /(?![\t\n]|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?<!\p{Extended_Pictographic})\ufe0f/gu

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
