/**
 * Finds keys of a configuration file by a word in them, in a language that we do not parse: JSON with comments, JSON5 or TOML. What
 * could be a key of one of them counts, so a name is found however it is written; a value that says the same is none.
 */

/** More mentions of a word are not looked at. */
export const MOST_MENTIONS = 100

export const mentionsOf = (word: string, text: string): number => placesOf(word, unescaped(text)).length

/** Keys that contain the word, as the program reads them. Empty where the text names no list of MCP servers. */
export function keysLike(word: string, text: string): string[] {
  const plain = unescaped(text)
  if (!/mcp/i.test(plain)) return []
  return placesOf(word, plain)
    .slice(0, MOST_MENTIONS)
    .flatMap((place) => [inQuotes(plain, place, '"'), inQuotes(plain, place, "'"), bare(plain, place, word)])
    .flatMap((key) => (key && isKey(plain, key) ? plain.slice(key.from, key.to).trim() : []))
}

/** Between these places of the text; with its quotes from `begin` to `end`. */
interface Token {
  from: number
  to: number
  begin: number
  end: number
}

function placesOf(word: string, text: string): number[] {
  return [...text.toLowerCase().matchAll(new RegExp(word, 'g'))].map(({ index }) => index)
}

/** On one line, as keys are. Null: no such quotes are around it. */
function inQuotes(text: string, place: number, quote: string): Token | null {
  const begin = text.lastIndexOf(quote, place)
  const to = text.indexOf(quote, place)
  if (begin < 0 || to < 0 || text.slice(begin, to).includes('\n')) return null
  return { from: begin + 1, to, begin, end: to + 1 }
}

function bare(text: string, place: number, word: string): Token {
  const [before = ''] = text.slice(Math.max(0, place - 200), place).match(/[\w-]*$/) ?? []
  const [after = ''] = text.slice(place + word.length, place + word.length + 200).match(/^[\w-]*/) ?? []
  const [begin, to] = [place - before.length, place + word.length + after.length]
  return { from: begin, to, begin, end: /["']/.test(text[to] ?? '') ? to + 1 : to }
}

/** Before a colon, an equals sign or a dot; or last in the name of a table, behind a dot. */
function isKey(text: string, { begin, end }: Token): boolean {
  const next = text[afterSpace(text, end)] ?? ''
  if (/[.=:]/.test(next)) return true
  return next === ']' && text.slice(0, begin).trimEnd().endsWith('.')
}

/** Behind spaces, and comments of each language. */
function afterSpace(text: string, place: number): number {
  for (let at = place; ; ) {
    while (/\s/.test(text[at] ?? '')) at++
    const two = text.slice(at, at + 2)
    const isLine = two === '//' || two.startsWith('#')
    if (!isLine && two !== '/*') return at
    const close = text.indexOf(isLine ? '\n' : '*/', at)
    if (close < 0) return text.length
    at = close + (isLine ? 1 : 2)
  }
}

const HEX = '[0-9a-fA-F]'
const ESCAPE = new RegExp(
  String.raw`\\(?:u\{(${HEX}{1,6})\}|u(${HEX}{4})|U(${HEX}{8})|x(${HEX}{2})|(\r?\n\s*)|([\s\S]))`,
  'g',
)

/** The text with each escape as the sign that it stands for, in each of these languages. A quote that was escaped ends no string. */
function unescaped(text: string): string {
  const signs = text.replaceAll(ESCAPE, (_escape, braces, short, long, byte, lineEnd, itself) => {
    if (lineEnd !== undefined) return ''
    if (itself !== undefined) return /[\\"'bfnrtv0]/.test(itself) ? '_' : itself
    const code = Number.parseInt(braces ?? short ?? long ?? byte, 16)
    const sign = code <= 0x10ffff ? String.fromCodePoint(code) : '_'
    return /["'\\\n]/.test(sign) ? '_' : sign
  })
  return signs.normalize('NFKC')
}
