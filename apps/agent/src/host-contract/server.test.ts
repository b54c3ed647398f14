import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectHost } from './client'
import type { HostMessage } from './messages'
import { HostServer } from './server'

const state: HostState = {
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 0,
  status: { status: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
}
const token = 'x'.repeat(32)

let folder: string
let socketPath: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  socketPath = path.join(folder, 'h.sock')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** `whileGreeting` is broadcast while the hello is being made, as a host does that has something new to say. */
const serve = async (whileGreeting: HostMessage[] = []) => {
  const server: HostServer = new HostServer({
    socketPath,
    token,
    hello: () => {
      for (const message of whileGreeting) server.broadcast(message)
      return { proto: 1, pid: 1, start: '1', sessionId: 's1', logId: 'log', head: 3, state }
    },
    handle: async () => ({}),
  })
  await server.listen()
  return server
}

describe('the socket of a session host', () => {
  it('begins with hello, also when the host has news at that very moment', async () => {
    const server = await serve([
      { type: 'state', state },
      { type: 'head', head: 3 },
    ])
    const client = await connectHost({ socketPath, token, sessionId: 's1' })
    expect(client.hello.head).toBe(3)
    client.close()
    await server.close({ why: 'shutdown' })
  })

  it('refuses a wrong token, and a client that wanted another session', async () => {
    const server = await serve()
    await expect(connectHost({ socketPath, token: 'y'.repeat(32) })).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    await expect(connectHost({ socketPath, token, sessionId: 's2' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    await server.close({ why: 'shutdown' })
  })
})
