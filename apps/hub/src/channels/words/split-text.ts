/**
 * Text as messages. The parts of a text that grows stay as they are, except the last one: where a part ends depends only on what
 * stands in it. Pure.
 */

/** Control characters other than line feeds and tabs. Joiners and marks of direction belong to writing. */
const unshown = /(?![\n\t])[\p{Cc}\ufeff\ufff9-\ufffb]/gu

/** Halves of a character, of text that was cut. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** What a chat service takes: whole characters, without control characters. */
export const plainText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(unshown, '').replace(halves, '\ufffd')

/** Each has at most so many UTF-16 units, and something to see. None for a text of blanks. */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = text.trimStart()
  while (rest.length > most) {
    const end = endOfPart(rest, most)
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  const last = rest.trimEnd()
  return last === '' ? parts : [...parts, last]
}

/** Ends at a line or a word if one ends in the second half, and never within a character. */
function endOfPart(text: string, most: number): number {
  for (const sign of ['\n', ' ']) {
    const at = text.lastIndexOf(sign, most)
    if (at > most / 2) return at
  }
  const code = text.charCodeAt(most - 1)
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most
}

/** The beginning, where a text is longer than this. */
export function cutText(text: string, most: number, more = ' …'): string {
  if (text.length <= most) return text
  const [first = ''] = splitText(text, most - more.length)
  return first + more
}

/** For a label: one line. */
export const oneLine = (text: string, most: number): string =>
  cutText(
    plainText(text)
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
    most,
    '…',
  )
