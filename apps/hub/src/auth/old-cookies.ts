/**
 * The hub sets no cookie and reads none. If a browser has a cookie with one of the hub's names (from an earlier release or
 * another port of this host), the hub tells it to drop the cookie. If a browser has more cookies than a request may carry,
 * the hub tells it to drop all cookies of this host; otherwise another port could lock people out.
 */
const ours = /^(__Host-|__Secure-)?roundhouse\./

export function endOldCookies(header: string | undefined): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=')[0]?.trim() ?? '')
  return [...new Set(names.filter((name) => ours.test(name)))].map((name) => {
    const secure = name.startsWith('__') ? '; Secure' : ''
    return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`
  })
}

const COOKIES_TOO_LARGE = 4_096
const tooMany = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Too many cookies</title>
<p>This browser sent more cookies for this host than the hub reads. Another program on this host has set them; the hub
uses none, and told the browser to remove them. <a href="">Load the page again.</a>`

/** The answer to a request whose headers were too large, where cookies made them so; null for any other. */
export function answerToCookies(packet: Buffer | undefined): string | null {
  const cookies = /\r\ncookie: ?([^\r\n]*)/i.exec(packet?.toString('latin1') ?? '')?.[1] ?? ''
  if (cookies.length < COOKIES_TOO_LARGE) return null
  const head = [
    'HTTP/1.1 431 Request Header Fields Too Large',
    'clear-site-data: "cookies"',
    'content-type: text/html; charset=utf-8',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(tooMany)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${tooMany}`
}
