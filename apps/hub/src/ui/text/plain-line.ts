/**
 * Converts one line of Markdown to plain text for a list. Text that only looks like markup stays: `a * b`, `snake_case`,
 * anything in code. Pure.
 */
const code = /(`+)(.+?)\1(?!`)/g
const marks: ReadonlyArray<readonly [RegExp, string]> = [
  [/!?\[([^[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?: +"[^"]*")?\)/g, '$1'],
  [/(\*\*|~~)(?=[^\s*~])(.*?[^\s])\1/g, '$2'],
  [/(?<!\w)__(?=[^\s_])(.*?[^\s_])__(?!\.?\w)/g, '$1'],
  [/(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])/g, '$1'],
  [/(?<!\w)_(?=[^\s_])([^_]*[^\s_])_(?!\w)/g, '$1'],
  [/^(?:(?:#{1,6}|>|[-*+])\s+)+/, ''],
]
/** Stands for a piece of code, so that marks around it match. It is removed from the text first. */
const HOLE = '\u0000'

export function plainLine(markdown: string): string {
  const codes: string[] = []
  const bare = markdown.replaceAll(HOLE, '\ufffd').replace(code, (_whole, _ticks, inner: string) => {
    codes.push(inner.trim())
    return HOLE
  })
  const plain = marks.reduce((text, [mark, words]) => text.replace(mark, words), bare)
  return plain.replaceAll(HOLE, () => codes.shift() ?? '').trim()
}
