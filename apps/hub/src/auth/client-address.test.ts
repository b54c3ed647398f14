import { describe, expect, it } from 'vitest'
import { createClientAddress } from './client-address'

const from = (proxies: string[], remoteAddress: string, forwarded?: string) =>
  createClientAddress(proxies)({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  })

describe('the address of a client', () => {
  it('[T84] is that of its socket, whatever it says of itself', () => {
    expect(from([], '203.0.113.9', '1.2.3.4')).toBe('203.0.113.9')
    expect(from(['10.0.0.0/8'], '203.0.113.9', '1.2.3.4, 10.0.0.1')).toBe('203.0.113.9')
    expect(from([], '::ffff:203.0.113.9')).toBe('203.0.113.9')
  })

  it('behind a declared proxy is what the proxy says, not what the client sent to it', () => {
    expect(from(['10.0.0.0/8'], '10.1.2.3', '1.2.3.4')).toBe('1.2.3.4')
    expect(from(['10.0.0.0/8'], '::ffff:10.1.2.3', '6.6.6.6, 1.2.3.4')).toBe('1.2.3.4')
    expect(from(['10.0.0.0/8', 'fd00::/8'], 'fd00::7', '6.6.6.6, 2001:db8::5, 10.9.9.9')).toBe('2001:db8::5')
  })

  it('is that of the proxy where the proxy says nothing that is an address', () => {
    for (const said of [undefined, '', 'unknown', '1.2.3.4, _hidden', "' OR 1"]) {
      expect(from(['10.0.0.1'], '10.0.0.1', said)).toBe('10.0.0.1')
    }
  })

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.1/8/8', '::/129', ''])(
    'has no proxy at %j',
    (proxy) => {
      expect(() => createClientAddress([proxy])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    },
  )
})
