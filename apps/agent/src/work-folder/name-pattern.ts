/**
 * Matches `.gitignore` patterns without regular expressions: a pattern comes from a repository, and must not take longer
 * than its length times that of the name.
 */
type Token =
  | { kind: 'any' }
  | { kind: 'one' }
  | { kind: 'is'; char: string }
  | { kind: 'set'; has(char: string): boolean }
/** Most names in a pattern are written out, and are compared as they are. */
type Segment = '**' | { text: string } | { tokens: readonly Token[] }

export interface PathPattern {
  segments: readonly Segment[]
  /** Any folder may stand before its one name. */
  anywhere: boolean
}

export function parsePattern(text: string): PathPattern {
  const names = text.split('/')
  // `folder/**` is all that is in it, not the folder itself.
  if (names.length > 1 && names.at(-1) === '**') names.splice(-1, 1, '*', '**')
  const segments = names.map((name) => (name === '**' ? name : segmentOf(name)))
  return { segments, anywhere: segments.length === 2 && segments[0] === '**' }
}

function segmentOf(name: string): Segment {
  return /[*?[\\]/.test(name) ? { tokens: tokensOf(name) } : { text: name }
}

export function matchesPath({ segments, anywhere }: PathPattern, path: readonly string[]): boolean {
  if (anywhere) return path.length > 0 && matchesName(segments[1] as Segment, path[path.length - 1] as string)
  return matches(segments, path, (segment) => segment === '**', matchesName)
}

function matchesName(segment: Segment, name: string): boolean {
  if (segment === '**') return false
  if ('text' in segment) return segment.text === name
  return matches(segment.tokens, [...name], (token) => token.kind === 'any', matchesChar)
}

/** Goes back to the latest wildcard only: what an earlier one takes more, the latest one could take as well. */
function matches<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isAny: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  let [at, from] = [0, 0]
  let anyAt = -1
  let takenTo = 0
  while (from < text.length) {
    const part = pattern[at]
    const item = text[from] as T
    if (part !== undefined && isAny(part)) {
      anyAt = at++
      takenTo = from
    } else if (part !== undefined && fits(part, item)) {
      at++
      from++
    } else if (anyAt >= 0) {
      at = anyAt + 1
      from = ++takenTo
    } else return false
  }
  return pattern.slice(at).every(isAny)
}

function matchesChar(token: Token, char: string): boolean {
  if (token.kind === 'is') return token.char === char
  return token.kind === 'set' ? token.has(char) : token.kind === 'one'
}

function tokensOf(text: string): Token[] {
  const chars = [...text]
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' })
    } else if (char === '?') tokens.push({ kind: 'one' })
    else if (char === '\\' && at + 1 < chars.length) tokens.push({ kind: 'is', char: chars[++at] as string })
    else if (char === '[') {
      const set = setAt(chars, at)
      tokens.push(set?.token ?? { kind: 'is', char })
      at = set?.end ?? at
    } else tokens.push({ kind: 'is', char })
  }
  return tokens
}

/** `[a-z]`, `[!abc]`; null where it is not closed. */
function setAt(chars: readonly string[], at: number): { token: Token; end: number } | null {
  const negated = chars[at + 1] === '!' || chars[at + 1] === '^'
  const start = at + (negated ? 2 : 1)
  const end = chars.indexOf(']', start + 1)
  if (end < 0) return null
  const ranges: Array<[string, string]> = []
  for (let i = start; i < end; i++) {
    const from = chars[i] as string
    const isRange = chars[i + 1] === '-' && i + 2 < end
    ranges.push([from, isRange ? (chars[i + 2] as string) : from])
    if (isRange) i += 2
  }
  const has = (char: string) => ranges.some(([from, to]) => char >= from && char <= to) !== negated
  return { token: { kind: 'set', has }, end }
}
