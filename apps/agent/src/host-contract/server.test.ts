import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idleState as state } from '../testing/idle-state'
import { connectHost } from './client'
import { HostConnections } from './connections'
import { type HostMessage, type HostRequest, LINE_LIMIT } from './messages'
import { HostServer } from './server'

const secret = 'a'.repeat(64)

let folder: string
let socketPath: string
let door: { socketPath: string; secret: string }
const asked: HostRequest[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  socketPath = path.join(folder, 'h.sock')
  door = { socketPath, secret }
  asked.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

let connections: HostConnections

/** `whileGreeting` is broadcast while the hello is being made, as a host does that has something new to say. */
const serve = async (
  whileGreeting: HostMessage[] = [],
  answer: (request: HostRequest) => Promise<unknown> = async () => ({}),
) => {
  connections = new HostConnections()
  const options = {
    socketPath,
    secret,
    hello: () => {
      for (const message of whileGreeting) connections.broadcast(message)
      return { proto: 2, pid: 1, start: '1', sessionId: 's1', logId: 'log', head: 3, state }
    },
    handle: async (request: HostRequest) => {
      asked.push(request)
      return answer(request)
    },
  }
  const server = new HostServer(options, connections)
  await server.listen()
  return server
}

/** Takes the host's place at its path, and passes everything on as `change` says; both directions, line by line. */
async function inBetween(change: (line: string, from: 'daemon' | 'host') => string[]): Promise<Server> {
  const aside = `${socketPath}.aside`
  renameSync(socketPath, aside)
  const pass = (from: Socket, to: Socket, who: 'daemon' | 'host') => {
    let rest = ''
    from.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) for (const next of change(line, who)) to.write(`${next}\n`)
    })
    from.on('error', () => to.destroy())
    from.once('close', () => to.destroy())
  }
  const relay = createServer((daemon) => {
    const host = connect(aside)
    pass(daemon, host, 'daemon')
    pass(host, daemon, 'host')
  })
  await new Promise<void>((resolve) => relay.listen(socketPath, resolve))
  return relay
}

describe('the socket of a session host', () => {
  it('begins with hello, also when the host has news at that very moment', async () => {
    const server = await serve([
      { type: 'state', state },
      { type: 'head', head: 3 },
    ])
    const client = await connectHost({ ...door, sessionId: 's1' })
    expect(client.hello.head).toBe(3)
    await client.acked({ logId: 'log', upTo: 1, epoch: 'e', present: true })
    expect(asked).toHaveLength(1)
    client.close()
    await server.close({ why: 'shutdown' })
  })

  it('[RES-1.2] [RES-1.3] a host whose account its daemon cannot read is told of and stays, and what is asked of it is answered', async () => {
    const ask = { requestId: 'r1', procId: 'p1', toolName: 'Write', input: {}, digest: 'd', cwd: '/' }
    const readable = { ...ask, callId: 'c1', askedAt: 1, canEdit: false, canExplainDeny: false }
    const request = { ...readable, filesPinned: true, redactedSpans: 0 }
    const unreadable = {
      ...state,
      rev: 2,
      turnId: 't1',
      status: { status: 'of a later version' },
      requests: [request, { ...request, requestId: 'r2', callId: 'x'.repeat(300) }],
    } as unknown as HostState
    const server = await serve()
    const states: HostState[] = []
    const problems: string[] = []
    const client = await connectHost(door, {
      state: (told) => void states.push(told),
      unreadable: (problem) => void problems.push(problem),
    })
    connections.broadcast({ type: 'state', state: unreadable })
    connections.broadcast({ type: 'of a later version' } as unknown as HostMessage)
    expect(await client.stop('idle')).toEqual({})
    expect(states).toEqual([{ ...state, rev: 2, turnId: 't1', status: { status: 'running' }, requests: [request] }])
    expect(problems).toEqual([expect.stringContaining('status'), expect.stringContaining('type')])
    client.close()
    await server.close({ why: 'shutdown' })
  })

  it('[RES-1] [FLOW-8] nothing that either end says is longer than the other one reads: the host stays', async () => {
    const long = 'x'.repeat(LINE_LIMIT)
    const frame = { sessionId: 's1', procId: 'p1', blockId: 'b', kind: 'thinking', afterSeq: 0, offset: 0 } as const
    const server = await serve([], async (request) => (request.type === 'block' ? { text: long, length: 1 } : {}))
    const states: HostState[] = []
    const texts: string[] = []
    let gone = false
    const client = await connectHost(door, {
      state: (told) => void states.push(told),
      live: (frames) => void texts.push(...frames.map(({ text }) => text)),
      closed: () => {
        gone = true
      },
    })
    connections.broadcast({ type: 'live', frames: [{ ...frame, text: long }] })
    connections.broadcast({ type: 'live', frames: [{ ...frame, text: 'short' }] })
    const queue = [{ promptId: 'p', rev: 0, text: long, commandId: 'c' }]
    connections.broadcast({ type: 'state', state: { ...state, rev: 2, turnId: 't1', queue } })
    await expect(client.block('b', 0)).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' })
    const edit = { kind: 'permission.decide', requestId: 'r', procId: 'p', decision: 'allow', digest: 'd' } as const
    const updatedInput = { numbers: Array(400_000).fill(1e20) }
    const author = { userId: 'u', name: 'Ana' }
    const command = { commandId: 'c', sessionId: 's1', author, createdAt: 1, body: { ...edit, updatedInput } }
    await expect(client.command(command)).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' })
    expect(await client.stop('idle')).toEqual({})
    expect([texts, gone]).toEqual([['short'], false])
    expect(states).toEqual([{ ...state, rev: 2, turnId: 't1' }])
    client.close()
    await server.close({ why: 'shutdown' })
  })

  it('[SES-6] greets nobody who comes while it says goodbye, and has gone then', async () => {
    const server = await serve()
    const relay = await inBetween((line, from) => {
      // The host ends between its challenge and the proof.
      if (from === 'host' && line.includes('challenge')) gone = server.close({ why: 'idle' })
      return [line]
    })
    let gone: Promise<void> | null = null
    // Whoever starts a host takes both for "not yet".
    const code = expect.stringMatching(/^(REQUEST_GONE|ECONNRESET)$/)
    await expect(connectHost(door)).rejects.toMatchObject({ code })
    await gone
    expect(asked).toEqual([])
    relay.close()
  })

  it('[SES-6] answers nothing that is asked after its goodbye: the next host is to be asked', async () => {
    const server = await serve()
    const client = await connectHost(door)
    const gone = server.close({ why: 'idle' })
    await expect(client.place(true)).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    await gone
    expect(asked).toEqual([])
  })

  it('[RES-1.8] refuses another secret, the old way to come in, and a client that wanted another session', async () => {
    const server = await serve()
    await expect(connectHost({ ...door, secret: 'b'.repeat(64) })).rejects.toMatchObject({ code: 'AUTH_FAILED' })
    await expect(connectHost({ socketPath, token: secret })).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    await expect(connectHost({ ...door, sessionId: 's2' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await server.close({ why: 'shutdown' })
  })

  it('[RES-1.8] never says the secret, and somebody who listens in the place of the host is not believed', async () => {
    const heard: string[] = []
    const server = await serve()
    const relay = await inBetween((line, from) => {
      heard.push(line)
      return from === 'host' && line.includes('challenge') ? [line.replace(/"proof":"./, '"proof":"x')] : [line]
    })
    await expect(connectHost(door)).rejects.toMatchObject({ code: 'AUTH_FAILED' })
    expect(heard.join()).not.toContain(secret)
    relay.close()
    await server.close({ why: 'shutdown' })
  })

  it.each([
    ['a line of its own', (line: string) => [line, `${line.slice(0, 64)} {"type":"stop","id":9,"how":"shutdown"}`]],
    ['a line again', (line: string) => [line, line]],
    ['another line', (line: string) => [line.replace('"upTo":1', '"upTo":9')]],
  ])('[RES-1.9] somebody between daemon and host cannot say %s', async (_what, change) => {
    const server = await serve()
    const relay = await inBetween((line, from) => (from === 'daemon' && line.includes('acked') ? change(line) : [line]))
    const client = await connectHost(door)
    const gone = client.acked({ logId: 'log', upTo: 1, epoch: 'e', present: true }).catch(() => 'cut')
    const again = gone.then(() => client.acked({ logId: 'log', upTo: 2, epoch: 'e', present: true })).catch(() => 'cut')
    expect(await again).toBe('cut')
    expect(asked.every((request) => request.type === 'acked' && request.upTo === 1)).toBe(true)
    relay.close()
    await server.close({ why: 'shutdown' })
  })
})
