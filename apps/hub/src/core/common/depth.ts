/**
 * Limits how deep a value from outside may nest (T2). `JSON.parse` takes any depth, but code that walks the value later
 * (our own stringify, the socket library on its way to viewers) recurses and would throw in the middle of other work.
 */
export const MAX_DEPTH = 256
/** For a whole frame around such values. A deeper frame is not parsed, because parsing costs more with depth. */
export const MAX_FRAME_DEPTH = MAX_DEPTH + 16

/** Checks a JSON text without parsing it. A text with few brackets is not scanned character by character. */
export function isTooDeepText(json: string, most = MAX_DEPTH): boolean {
  if (json.length < most * 2 || !hasMoreOpen(json, most)) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i += 1) {
    const c = json.charCodeAt(i)
    if (inString) {
      if (c === 92) i += 1
      else if (c === 34) inString = false
    } else if (c === 34) inString = true
    else if (c === 91 || c === 123) {
      depth += 1
      if (depth > most) return true
    } else if (c === 93 || c === 125) depth -= 1
  }
  return false
}

/** `indexOf` scans many characters at once. */
function hasMoreOpen(json: string, most: number): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      count += 1
      if (count > most) return true
    }
  }
  return false
}

/** Checks a parsed value, level by level. */
export function isTooDeepValue(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
