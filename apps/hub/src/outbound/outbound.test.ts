/** Real servers on loopback, which the operator allows here. */
import type { LookupAddress } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createOutbound, type OutboundOptions } from './index'
import { Lookups } from './lookups'

const servers: { close(): unknown; closeAllConnections?(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${body}`)
      listener(request, response)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, asked }
}

const here = ['127.0.0.0/8']
const family = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })
const post = (url: string, options: Partial<OutboundOptions> = {}, signal?: AbortSignal) =>
  createOutbound({ allow: here, ...options }).post({ url, headers: { 'webhook-id': 'msg_1' }, body: '{"a":1}' }, signal)
const answered = (status: number, retryAfterMs: number | null = null) => ({ kind: 'answered', status, retryAfterMs })
const failed = (failure: string) => ({ kind: 'failed', failure })

describe('[HOOK-6] the hub sends', () => {
  it('one POST with the body and the headers, and reads the status', async () => {
    const { port, asked } = await serve((request, response) => {
      response.statusCode = request.headers['webhook-id'] === 'msg_1' ? 204 : 400
      response.end()
    })
    expect(await post(`http://127.0.0.1:${port}/hook?a=b`)).toEqual(answered(204))
    expect(asked).toEqual(['POST /hook?a=b {"a":1}'])
  })

  it('to no redirect, wherever it leads', async () => {
    const target = await serve((_request, response) => response.end())
    const { port } = await serve((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end()
    })
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(answered(302))
    expect(target.asked).toEqual([])
  })

  it('and hears how long a receiver asks to wait, in seconds or by a date', async () => {
    const now = Date.parse('2026-04-27T12:00:00Z')
    const says = async (value: string) => {
      const { port } = await serve((_request, response) => {
        response.writeHead(429, { 'retry-after': value }).end()
      })
      return post(`http://127.0.0.1:${port}/`, { now: () => now })
    }
    expect(await says('120')).toEqual(answered(429, 120_000))
    expect(await says('Mon, 27 Apr 2026 12:01:00 GMT')).toEqual(answered(429, 60_000))
    expect(await says('Mon, 27 Apr 2026 11:00:00 GMT')).toEqual(answered(429, 0))
    expect(await says('soon')).toEqual(answered(429))
    expect(await says('-5')).toEqual(answered(429))
  })

  it('and reads little of an answer that does not end', async () => {
    let sent = 0
    const { port } = await serve((_request, response) => {
      response.on('error', () => {})
      const more = () => {
        sent += 65_536
        if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(more)
        else response.once('drain', more)
      }
      response.writeHead(200)
      more()
    })
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(answered(200))
    const soon = sent
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent - soon).toBeLessThan(10_000_000)
  })

  it('and waits neither for an answer that does not come, nor for a body', async () => {
    const silent = await serve(() => {})
    expect(await post(`http://127.0.0.1:${silent.port}/`, { answerMs: 200 })).toEqual(failed('timeout'))
    const halfway = await serve((_request, response) => void response.writeHead(200).write('x'))
    expect(await post(`http://127.0.0.1:${halfway.port}/`)).toEqual(answered(200))
  })

  it('and does not wait longer for a server that announces an answer again and again', async () => {
    const early = createTcp((socket) => {
      const more = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 10)
      socket.on('error', () => {}).once('close', () => clearInterval(more))
    })
    servers.push(early)
    await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve))
    const { port } = early.address() as AddressInfo
    expect(await post(`http://127.0.0.1:${port}/`, { answerMs: 200 })).toEqual(failed('timeout'))
  })

  it('and gives up when it is told to', async () => {
    const given = new AbortController()
    const { port } = await serve(() => given.abort())
    expect(await post(`http://127.0.0.1:${port}/`, {}, given.signal)).toEqual(failed('timeout'))
  })

  it('and says in a word why nothing arrived', async () => {
    const closed = createTcp((socket) => socket.end())
    servers.push(closed)
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(failed('closed'))
    const plain = await serve((_request, response) => response.end())
    expect(await post(`https://127.0.0.1:${plain.port}/`)).toEqual(failed('tls'))
    const garbage = createTcp((socket) => socket.end('no HTTP at all\r\n\r\n'))
    servers.push(garbage)
    await new Promise<void>((resolve) => garbage.listen(0, '127.0.0.1', resolve))
    expect(await post(`http://127.0.0.1:${(garbage.address() as AddressInfo).port}/`)).toEqual(failed('closed'))
    const free = createTcp()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const gone = (free.address() as AddressInfo).port
    await new Promise((resolve) => free.close(resolve))
    expect(await post(`http://127.0.0.1:${gone}/`)).toEqual(failed('connect'))
    const nobody = { resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    expect(await post('http://nobody.example/', nobody)).toEqual(failed('name'))
    expect(await post('http://nobody.example/', { resolve: async () => [] })).toEqual(failed('name'))
  })

  it('past the proxies of its environment', async () => {
    const proxy = await serve((_request, response) => response.end())
    const { port } = await serve((_request, response) => response.writeHead(201).end())
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
    try {
      expect(await post(`http://127.0.0.1:${port}/`)).toEqual(answered(201))
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
    expect(proxy.asked).toEqual([])
  })
})

describe('[HOOK-6] [A38] a name', () => {
  it('with one address to which the hub does not send is refused, whichever comes first', async () => {
    const { port, asked } = await serve((_request, response) => response.end())
    for (const pair of [
      ['127.0.0.1', '10.0.0.7'],
      ['10.0.0.7', '127.0.0.1'],
      ['::1', '127.0.0.1'],
    ]) {
      const resolve = async () => pair.map(family)
      expect(await post(`http://two.example:${port}/`, { resolve })).toEqual(failed('address'))
    }
    expect(asked).toEqual([])
  })

  it('leads to the address that was judged: it is asked for once', async () => {
    const { port, asked } = await serve((_request, response) => response.end())
    let lookups = 0
    const resolve = async () => [family(++lookups === 1 ? '127.0.0.1' : '10.0.0.7')]
    expect(await post(`http://turns.example:${port}/`, { resolve })).toEqual(answered(200))
    expect([lookups, asked.length]).toEqual([1, 1])
  })

  it('is judged again for each message: what was good before is refused once it leads elsewhere', async () => {
    const { port, asked } = await serve((_request, response) => response.end())
    let address = '127.0.0.1'
    const outbound = createOutbound({ allow: here, resolve: async () => [family(address)] })
    const send = () => outbound.post({ url: `http://moves.example:${port}/`, headers: {}, body: '' })
    expect(await send()).toEqual(answered(200))
    address = '10.0.0.1'
    expect(await send()).toEqual(failed('address'))
    expect(asked).toHaveLength(1)
  })

  it('on loopback is refused unless the operator allows it', async () => {
    const { port, asked } = await serve((_request, response) => response.end())
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await post(`https://${host}:${port}/`, { allow: [] })).toEqual(failed('address'))
    expect(asked).toEqual([])
  })

  it('that is public is not spoken to in the clear', async () => {
    const resolve = async () => [family('1.1.1.1')]
    expect(await post('http://public.example/', { resolve })).toEqual(failed('address'))
  })

  it('that does not resolve in time holds up no other, and is asked for once at a time', async () => {
    const { port } = await serve((_request, response) => response.end())
    let hanging = 0
    const never = new Promise<LookupAddress[]>(() => {})
    const resolve = async (name: string) => {
      if (name !== 'hangs.example') return [family('127.0.0.1')]
      hanging += 1
      return never
    }
    const outbound = createOutbound({ allow: here, resolve, connectMs: 300, answerMs: 2_000 })
    const send = (name: string) => outbound.post({ url: `http://${name}:${port}/`, headers: {}, body: '' })
    const late = [send('hangs.example'), send('hangs.example'), send('hangs.example')]
    expect(await send('quick.example')).toEqual(answered(200))
    expect(await Promise.all(late)).toEqual([failed('timeout'), failed('timeout'), failed('timeout')])
    expect(hanging).toBe(1)
  })
})

describe('lookups', () => {
  it('are three at once, and each that ends lets the next one in', async () => {
    const open = new Map<string, () => void>()
    const lookups = new Lookups((name) => new Promise((resolve) => open.set(name, () => resolve([]))), {
      patienceMs: 5_000,
    })
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => lookups.of(name))
    expect([...open.keys()]).toEqual(['a', 'b', 'c'])
    open.get('b')?.()
    await all[1]
    await expect.poll(() => [...open.keys()]).toEqual(['a', 'b', 'c', 'd'])
    for (const name of ['a', 'c', 'd']) open.get(name)?.()
    await expect.poll(() => open.has('e')).toBe(true)
    open.get('e')?.()
    await Promise.all(all)
  })

  it('for which nobody waits any more do not take the place of one that is asked for later', async () => {
    const asked: string[] = []
    const open: (() => void)[] = []
    const resolve = (name: string) => {
      asked.push(name)
      return new Promise<LookupAddress[]>((done) => open.push(() => done([])))
    }
    let now = 0
    const lookups = new Lookups(resolve, { patienceMs: 5_000, elapsed: () => now })
    const hanging = ['a', 'b', 'c'].map((name) => lookups.of(name))
    const stale = ['d', 'e'].map((name) => lookups.of(name).catch((error: unknown) => error))
    now = 5_001
    const late = lookups.of('late')
    open[0]?.()
    await expect.poll(() => asked).toEqual(['a', 'b', 'c', 'late'])
    for (const one of await Promise.all(stale)) expect(one).toBeInstanceOf(Error)
    for (const end of open) end()
    await Promise.all([...hanging, late])
  })
})
