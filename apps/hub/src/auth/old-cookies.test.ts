import { describe, expect, it } from 'vitest'
import { answerToCookies, endOldCookies } from './old-cookies'

describe('[WEB-3.22] a cookie of the hub', () => {
  it('is ended wherever it is shown, and cookies of others are left alone', () => {
    expect(endOldCookies(undefined)).toEqual([])
    expect(endOldCookies('theme=dark; xroundhouse.session_token=x')).toEqual([])
    expect(endOldCookies('a=1; roundhouse.session_token=x; roundhouse.session_token=y')).toEqual([
      'roundhouse.session_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    expect(endOldCookies('__Secure-roundhouse.state=x')).toEqual([
      '__Secure-roundhouse.state=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    ])
  })

  it('[WEB-3.23] that makes a request too large is one of too many: all of this host are dropped, and for nothing else', () => {
    const packet = (line: string) => Buffer.from(`GET / HTTP/1.1\r\nHost: localhost:4600\r\n${line}\r\n`)
    expect(answerToCookies(packet(`Cookie: a=${'x'.repeat(8_000)}`))).toContain('clear-site-data: "cookies"')
    expect(answerToCookies(packet(`Referer: ${'x'.repeat(8_000)}\r\nCookie: a=b`))).toBeNull()
    expect(answerToCookies(Buffer.from(`GET /${'x'.repeat(9_000)} HTTP/1.1\r\n`))).toBeNull()
    expect(answerToCookies(undefined)).toBeNull()
  })
})
