import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Transport } from './transport'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Answers the n-th request by the n-th handler; the last one serves all that follow. */
async function hubThat(...handlers: Array<(request: IncomingMessage, answer: ServerResponse) => void>) {
  const seen: string[] = []
  server = createServer((request, answer) => {
    const handler = handlers[Math.min(seen.length, handlers.length - 1)]
    seen.push(String(request.headers['idempotency-key'] ?? ''))
    handler?.(request, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, url: baseUrl, transport: new Transport({ baseUrl, timeoutMs: 200 }) }
}

const Ok = z.object({ ok: z.boolean() })
const good = (_request: IncomingMessage, answer: ServerResponse) => answer.end('{"ok":true}')
const silent = () => {}
const halfABody = (_request: IncomingMessage, answer: ServerResponse) => {
  answer.writeHead(200, { 'content-length': '11' })
  answer.write('{"ok"')
}
const cut = (request: IncomingMessage) => request.socket.destroy()

describe('a request', () => {
  it.each([
    ['is never answered', silent],
    ['is answered by half', halfABody],
    ['is cut off', cut],
  ])('[F6] [VIEW-6] that %s is made again', async (_name, first) => {
    const { seen, transport } = await hubThat(first, good)
    expect(await transport.send('GET', '/health', Ok)).toEqual({ ok: true })
    expect(seen).toHaveLength(2)
  })

  it('[CMD-1] is made again only under its key', async () => {
    const { seen, transport } = await hubThat(silent, good)
    await transport.send('POST', '/sessions', Ok, { body: {}, idempotencyKey: 'k-1' })
    expect(seen).toEqual(['k-1', 'k-1'])
    const keyless = await hubThat(silent)
    await expect(keyless.transport.send('POST', '/setup', Ok, { body: {} })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
    expect(keyless.seen).toHaveLength(1)
  })

  it('that was given up by its caller is not made again', async () => {
    const { seen, transport } = await hubThat(silent)
    const giveUp = new AbortController()
    const asked = transport.send('GET', '/health', Ok, { signal: giveUp.signal })
    giveUp.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen.length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['AUTH_REQUIRED', 1],
    ['AUTH_FAILED', 0],
  ])('that is refused with %s says %i times that the login is gone: a wrong code ends none', async (code, times) => {
    const { url } = await hubThat((_request, answer) => {
      answer.statusCode = 401
      answer.end(JSON.stringify({ error: { code, message: 'no', retryable: false } }))
    })
    let gone = 0
    const transport = new Transport({ baseUrl: url, onSignedOut: () => gone++ })
    await expect(transport.send('GET', '/me', Ok)).rejects.toMatchObject({ code })
    expect(gone).toBe(times)
  })

  it.each([
    [
      '[AUTH-1.13] of a page whose login is gone is not made any more, and that is said once',
      'AUTH_REQUIRED',
      true,
      1,
      1,
    ],
    ['of a page is made again after a wrong code', 'AUTH_FAILED', true, 3, 0],
    ['of a program is made again: its person may give it another token', 'AUTH_REQUIRED', false, 3, 0],
  ])('%s', async (_title, code, isPage, requests, times) => {
    const { seen, url } = await hubThat((_request, answer) => {
      answer.statusCode = 401
      answer.end(JSON.stringify({ error: { code, message: 'no', retryable: false } }))
    })
    let gone = 0
    const transport = new Transport({ baseUrl: url, ...(isPage ? { onSignedOut: () => gone++ } : {}) })
    for (let i = 0; i < 2; i += 1) await expect(transport.send('GET', '/me', Ok)).rejects.toMatchObject({ code })
    await expect(transport.download('/file')).rejects.toMatchObject({ code })
    expect([seen.length, gone]).toEqual([requests, times])
  })
})
