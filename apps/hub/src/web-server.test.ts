import { once } from 'node:events'
import { type RequestListener, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClientAddress } from './auth/client-address'
import { createWebGuard } from './auth/web-guard'
import { createWebServer } from './web-server'

let server: Server | undefined
afterEach(() => server?.close())

async function start(api?: RequestListener): Promise<number> {
  const seen = { api: 'api', pages: 'page' }
  let port = 0
  server = createWebServer({
    guard: () => createWebGuard(`http://localhost:${port}`, port, true),
    addressOf: createClientAddress([]),
    proofNonce: () => 'a-nonce',
    api: () =>
      api ??
      ((incoming, response) => {
        const address = incoming.headers['x-roundhouse-client-address']
        incoming.resume().on('end', () => response.end(`${seen.api} ${address}`))
      }),
    pages: () => (_incoming, response) => response.end(seen.pages),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  return port
}

interface Asked {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

async function ask(port: number, { method = 'GET', path = '/', headers = {}, body }: Asked = {}) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { host: `localhost:${port}`, ...headers },
  })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

describe('createWebServer', () => {
  it('[T72] [A39] refuses a foreign host name with a coded error, on every path', async () => {
    const port = await start()
    for (const path of ['/', '/api/v1/health', '/login']) {
      const answer = await ask(port, { path, headers: { host: 'evil.example' } })
      expect(answer.status).toBe(421)
      expect(JSON.parse(answer.text).error.code).toBe('HOST_NOT_ALLOWED')
    }
  })

  it('gives every page a policy without unsafe words and a nonce of its own', async () => {
    const port = await start()
    const [one, two] = [await ask(port), await ask(port)]
    expect(one.headers['content-security-policy']).toMatch(/script-src 'self' 'nonce-[^']+'/)
    expect(one.headers['content-security-policy']).not.toContain('unsafe')
    expect(one.headers['content-security-policy']).not.toBe(two.headers['content-security-policy'])
    expect(one.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  it('[T79] [T84] tells the API the address of the socket, whatever the client claims', async () => {
    const port = await start()
    const claimed = { 'x-roundhouse-client-address': '10.0.0.1', 'x-forwarded-for': '10.0.0.2' }
    expect((await ask(port, { path: '/api/v1/me', headers: claimed })).text).toBe('api 127.0.0.1')
  })

  it('refuses a body over the limit before reading it, and one without a length', async () => {
    const port = await start()
    const large = await ask(port, {
      method: 'POST',
      path: '/api/v1/setup',
      headers: { 'content-length': String(5 * 1_048_576) },
    })
    expect([large.status, JSON.parse(large.text).error.code]).toEqual([413, 'FRAME_TOO_LARGE'])
    const endless = await ask(port, {
      method: 'POST',
      path: '/api/v1/setup',
      headers: { 'transfer-encoding': 'chunked' },
    })
    expect(endless.status).toBe(400)
  })

  it('[T17] [LINK-1.7] ends a handshake that only trickles 5 s after its beginning, while others are served', async () => {
    const port = await start()
    const began = performance.now()
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: localhost:${port}\r\n`)
    let letters = 0
    const trickle = setInterval(() => socket.write(`x-${letters++}: y\r\n`), 100)
    const ended = once(socket, 'close')
    expect((await ask(port)).status).toBe(200)
    await ended
    clearInterval(trickle)
    expect(letters).toBeGreaterThan(10)
    expect(performance.now() - began).toBeGreaterThan(4_000)
    expect(heard).toBe('')
  }, 20_000)

  it('[T2] answers garbage instead of HTTP with 400 and lives on', async () => {
    const port = await start()
    const socket = connect(port, '127.0.0.1')
    socket.end('\u0000\u0001 this is not HTTP\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /)
    expect((await ask(port)).status).toBe(200)
  })

  describe('requests that do not wait for the answer', () => {
    const begun: Array<{ url: string; response: ServerResponse }> = []
    const hold: RequestListener = ({ url = '' }, response) => void begun.push({ url, response })
    const get = (port: number, path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`
    beforeEach(() => begun.splice(0))

    async function send(port: number, paths: string[]) {
      const socket = connect(port, '127.0.0.1')
      const heard = { text: '' }
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          heard.text += chunk
        })
      socket.write(paths.map((path) => get(port, path)).join(''))
      return { heard, socket, closed: once(socket, 'close') }
    }

    it.each(['/api/v1/health', '/socket.io/', '/'])(
      '[WEB-2.15] [T2] a thousand of %s at once begin once at most, and end their connection',
      async (path) => {
        const port = await start(hold)
        const { closed } = await send(port, ['/api/v1/first', ...Array<string>(1_000).fill(path)])
        await closed
        expect(begun.map(({ url }) => url)).toEqual(['/api/v1/first'])
        const other = ask(port)
        expect((await other).text).toBe('page')
      },
    )

    it('[WEB-2.15] the second begins when the first is answered', async () => {
      const port = await start(hold)
      const { heard, socket } = await send(port, ['/api/v1/a', '/api/v1/b'])
      while (begun.length < 1) await ask(port)
      await ask(port)
      expect(begun.map(({ url }) => url)).toEqual(['/api/v1/a'])
      begun[0]?.response.end('first')
      while (begun.length < 2) await once(socket, 'data').then(() => ask(port))
      begun[1]?.response.end('second')
      while (!heard.text.includes('second')) await once(socket, 'data')
      expect(heard.text.indexOf('first')).toBeLessThan(heard.text.indexOf('second'))
      socket.destroy()
    })
  })
})
