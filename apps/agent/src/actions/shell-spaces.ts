/**
 * The characters that separate words: for bash, dash and zsh only a space, a tab and the end of a line. `\s` has more
 * (no-break space, vertical tab, carriage return), which such a shell reads as letters of a name. Another shell, or another
 * locale, may not, so a text is read in each way.
 */

const ODD_SPACE = /[^\S \t\n]|\u0085|\u180e|\u200b/g
/** More kinds of spaces than that are read as one kind. */
const MOST_KINDS = 4

/**
 * The text as it stands, with its broken lines put together, and with what may be a space as one. One reading where there
 * is nothing to tell apart.
 */
export function readingsOf(text: string): string[] {
  const joined = text.replace(/\\\n/g, '')
  const kinds = [...new Set(joined.match(ODD_SPACE) ?? [])]
  const single = kinds.length > 1 && kinds.length <= MOST_KINDS ? kinds : []
  return [
    ...new Set([text, joined, joined.replace(ODD_SPACE, ' '), ...single.map((kind) => joined.replaceAll(kind, ' '))]),
  ]
}
