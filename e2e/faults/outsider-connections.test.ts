/** Connections that say nothing, too little or too much, against the production build. */
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hubOfFile } from '../support/wire/hub-of-file'

const { hub, web } = hubOfFile('connections', { ownerless: true })

describe('connections', () => {
  it('[LINK-1.7] [A29] 2,000 that say nothing, or half a header byte by byte, are closed and keep nobody out', async () => {
    const said = ['', 'GET / HT', `GET / HTTP/1.1\r\nhost: localhost:${hub.port}\r\nx-slow: `]
    const ends: Array<Promise<void>> = []
    // In waves that fit the queue of the system: what that drops, no server ever hears of.
    while (ends.length < 2_000) {
      for (let i = 0; i < 200; i += 1) ends.push(idle(hub.port, said[i % said.length] ?? '', i % 100 === 2))
      expect((await web.ask('/api/v1/health')).status).toBe(200)
    }
    for (const target of ['/login', '/api/v1/health']) expect((await web.ask(target)).status).toBe(200)
    await Promise.all(ends)
    expect((await web.ask('/api/v1/me')).code).toBe('AUTH_REQUIRED')
  })

  it('[T2] a head over 8 KiB, two lengths, and what is no HTTP are answered with 400 alone', async () => {
    const head = `POST /api/v1/setup HTTP/1.1\r\nhost: localhost:${hub.port}\r\n`
    const long = `${head}x: ${'a'.repeat(9_000)}\r\n\r\n`
    const twoLengths = `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`
    for (const text of [long, twoLengths, '\u0016\u0003\u0001\u0002\u0000', 'GET nowhere HTTP/1.1\r\n\r\n'])
      expect(await web.bytes(text)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n\r\n$/i)
  })
})

/** Resolves when the hub has closed it. */
function idle(port: number, text: string, drips: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = drips ? setInterval(() => socket.writable && socket.write('a'), 200) : undefined
    socket.on('error', () => {}).resume()
    socket.once('close', () => {
      clearInterval(timer)
      resolve()
    })
  })
}
