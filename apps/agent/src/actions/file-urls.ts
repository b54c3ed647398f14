/** The files of this machine that `file:` addresses name. */

/** Also inside another address, as in `jar:file:/a.jar`. */
const FILE_URL = /^(?:[a-z][a-z0-9+.-]*:)*file:(?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])?)?(\/.*)$/is

/** As programs read them: with percent signs decoded or not, with what follows `?` or `#` or not. None where the text is no such address. */
export function pathsOfFileUrl(text: string): string[] {
  const named = FILE_URL.exec(text)?.[1]
  if (named === undefined) return []
  const short = named.replace(/[?#].*$/s, '')
  return [...new Set([named, short, decoded(named), decoded(short)])]
}

/** What is no UTF-8 stays readable as something, rather than nothing. */
const decoded = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
