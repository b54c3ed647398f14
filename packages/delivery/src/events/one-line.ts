/** The beginning of a text on one line, at most 200 UTF-16 units, never half a character. */
export function oneLine(text: string, limit = 200): string {
  // Only so much is looked at: the text may be the whole of a long answer.
  const flat = text
    .slice(0, limit * 4)
    .replace(/[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu, ' ')
    .trim()
  if (flat.length <= limit) return flat
  const last = flat.charCodeAt(limit - 1)
  return flat.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)
}
