/** A daemon that says or is told much and does not read: the host's memory stays bounded. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldBack } from '../testing/held-back'
import { idleState as state } from '../testing/idle-state'
import { connectHost, type HostClient } from './client'
import { HostConnections } from './connections'
import type { HostMessage } from './messages'
import { HostServer } from './server'

describe('a daemon that does not read', () => {
  let folder: string
  let connections: HostConnections
  let server: HostServer
  let client: HostClient
  let door: Parameters<typeof connectHost>[0]
  let isHeldBack: Promise<void>
  let asked = 0
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
    asked = 0
    const socketPath = path.join(folder, 'h.sock')
    const secret = 'a'.repeat(64)
    connections = new HostConnections()
    server = new HostServer(
      {
        socketPath,
        secret,
        hello: () => ({ proto: 2, pid: 1, start: '1', sessionId: 's1', logId: 'log', head: 3, state }),
        handle: async () => {
          asked++
          return { text: 'x'.repeat(100_000), length: 100_000 }
        },
      },
      connections,
    )
    await server.listen()
    door = { socketPath, secret }
    isHeldBack = heldBack()
    client = await connectHost(door)
    socketOf(client).pause()
  })
  afterEach(async () => {
    client.close()
    await server.close({ why: 'stopped' } as never)
    rmSync(folder, { recursive: true })
  })

  it('is not heard any more until it has read its answers, and then has each of them', async () => {
    const filler = 'b'.repeat(1_000)
    const answers = Array.from({ length: 1_000 }, (_, from) => client.block(filler, from))
    await isHeldBack
    const other = await connectHost(door)
    for (let i = 0; i < 100; i++) await other.block('aside', i)
    other.close()
    expect(asked - 100).toBeLessThan(500)
    socketOf(client).resume()
    expect(await Promise.all(answers)).toHaveLength(1_000)
  })

  it('is cut off when it has left 32 MiB of what everybody is told', async () => {
    const told = { type: 'state', state: { ...state, filler: 'x'.repeat(1024 * 1024) } } as HostMessage
    for (let i = 0; i < 48; i++) connections.broadcast(told)
    socketOf(client).resume()
    await client.closed
  })
})

const socketOf = (client: HostClient): Socket => (client as unknown as { socket: Socket }).socket
