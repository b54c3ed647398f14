/** What a frame takes on the wire: UTF-8 bytes of JSON, and as much of a text or a list as has room. */

const encoder = new TextEncoder()
export const bytesOf = (text: string): number => encoder.encode(text).length

export const jsonBytes = (value: unknown): number => bytesOf(JSON.stringify(value) ?? '')

/** The value has at most so many bytes. Said of what is far below or far above without writing it. */
export function isWithin(value: unknown, bytes: number): boolean {
  let least = 0
  let most = 0
  const isBelow = (part: unknown): boolean => {
    most += 32 // a number, a word, or the signs around a list
    if (typeof part === 'string') least += part.length
    else if (typeof part === 'object' && part !== null) {
      for (const [name, member] of Object.entries(part)) {
        most += name.length * 6 + 4
        if (!isBelow(member)) return false
      }
    }
    return least <= bytes
  }
  return isBelow(value) && (most + least * 6 <= bytes || jsonBytes(value) <= bytes)
}

/** What JSON writes for the unit at this place of a text. */
function unitBytes(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0x20) return 6
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1
  if (unit < 0x800) return 2
  // Half a character is written as an escape.
  return unit >= 0xd800 && unit <= 0xdfff ? 6 : 3
}

/** Where a piece of at most so many bytes ends that begins at `from`; behind one unit at least. */
function endOfPiece(text: string, from: number, bytes: number): number {
  let left = bytes
  let at = from
  while (at < text.length) {
    left -= unitBytes(text, at)
    if (left < 0) break
    at += 1
  }
  return Math.max(at, from + 1)
}

/** The text in pieces of at most so many bytes each. */
export function piecesOf(text: string, bytes: number): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from, bytes)
    pieces.push(text.slice(from, end))
    from = end
  }
  return pieces
}

/** The beginning, or the end, that has at most so many bytes; no character is torn. */
export function beginningOf(text: string, bytes: number): string {
  if (text.length * 6 <= bytes) return text
  return text.slice(0, text === '' ? 0 : endOfPiece(text, 0, bytes)).replace(/[\ud800-\udbff]$/, '')
}

export function endOf(text: string, bytes: number): string {
  let left = bytes
  let at = text.length
  while (at > 0 && left >= unitBytes(text, at - 1)) {
    at -= 1
    left -= unitBytes(text, at)
  }
  return text.slice(at).replace(/^[\udc00-\udfff]/, '')
}

/** Those of a list that have room together, in their order; what alone is too large is left out. */
export function fittingList<T>(items: readonly T[], bytes: number): T[] {
  let left = bytes
  return items.filter((item) => {
    const size = jsonBytes(item) + 1
    if (size > left) return false
    left -= size
    return true
  })
}
