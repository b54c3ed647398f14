/** The files of this machine that `file:` addresses name. */

/** Also inside another address, as in `jar:file:/a.jar`. */
const FILE_URL = /^(?:[a-z][a-z0-9+.-]*:)*file:(?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])?)?(\/.*)$/is

/** As programs read them: with percent signs decoded or not, with what follows `?` or `#` or not. None where the text is no such address. */
export function pathsOfFileUrl(text: string): string[] {
  if (!text.includes(':')) return []
  const bare = withoutSpaces(text)
  // A backslash is a slash there, too.
  const addresses = [text, bare, bare.replaceAll('\\', '/')]
  const named = addresses.flatMap((address) => FILE_URL.exec(address)?.[1] ?? [])
  const all = named.flatMap((one) => [one, one.replace(/[?#].*$/s, '')])
  return [...new Set(all.flatMap((one) => [one, decoded(one)]))]
}

/** As browsers read an address: no spaces and signs of control around it, no tabs and ends of lines in it. */
function withoutSpaces(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isSpace(text[from])) from += 1
  while (to > from && isSpace(text[to - 1])) to -= 1
  return text.slice(from, to).replace(/[\t\r\n]/g, '')
}

const isSpace = (sign = ''): boolean => sign <= ' ' || /\s/.test(sign)

/** What is no UTF-8 stays readable as something, rather than nothing. */
const decoded = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
