import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Command, HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LineSplitter, writeLine } from '../host-contract/framing'
import { doorOf } from '../host-contract/host-door'
import { LaunchSpec } from '../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../host-contract/messages'
import { SessionSlot, type SlotPorts } from './session-slot'

const sessionId = 's1'
const token = 'x'.repeat(32)
const state: HostState = {
  sessionId,
  leaseToken: 1,
  rev: 1,
  atSeq: 3,
  status: { status: 'running' },
  turnId: 't1',
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
}
const command: Command = {
  commandId: 'c1',
  sessionId,
  author: { userId: 'u1', name: 'Ana' },
  createdAt: 1,
  body: { kind: 'turn.interrupt', turnId: 't1' },
}

/** A session host of the version before: it does not know `acked`, and its state lacks nothing that is needed. */
class OlderHost {
  readonly heard: string[] = []
  private socket: Socket | null = null
  private server: Server | null = null
  private wake = () => {}

  async listen(socketPath: string): Promise<void> {
    this.server = createServer((socket) => {
      this.socket = socket
      const lines = new LineSplitter(1_000_000)
      socket.on('data', (chunk) => {
        for (const line of lines.push(chunk)) this.receive(JSON.parse(line))
      })
    })
    const { server } = this
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  }

  say(message: object): void {
    if (this.socket) writeLine(this.socket, message as never)
  }

  async until(test: () => boolean): Promise<void> {
    while (!test()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  async close(): Promise<void> {
    this.socket?.destroy()
    await new Promise((resolve) => this.server?.close(resolve))
  }

  private receive(request: { type: string; id: number }): void {
    this.heard.push(request.type)
    if (request.type === 'auth') {
      const proto = HOST_PROTOCOL - 1
      this.say({ type: 'hello', proto, pid: 1, start: '1', sessionId, logId: 'log', head: 3, state })
    } else if (request.type === 'acked') {
      const error = { code: 'INTERNAL', message: 'Invalid discriminator value.', retryable: true }
      this.say({ type: 'answer', id: request.id, ok: false, error })
    } else {
      const value = request.type === 'command' ? { state: 'accepted' } : null
      this.say({ type: 'answer', id: request.id, ok: true, value })
    }
    this.wake()
  }
}

let folder: string
let host: OlderHost
let slot: SessionSlot
let acked = 3
const heads: number[] = []
const states: HostState[] = []

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  const socketPath = path.join(folder, 'h.sock')
  host = new OlderHost()
  await host.listen(socketPath)
  // As the version before wrote it: without what was added since.
  const spec = LaunchSpec.parse({
    version: 1,
    sessionId,
    sessionDir: folder,
    socketPath,
    socketToken: token,
    mode: 'run',
    idleMs: 1,
    policy: { roots: [], maxSandbox: 'workspace-write', allowBypassPermissions: false },
    backends: {},
    digestKeyPath: path.join(folder, 'key'),
  })
  const ports: Partial<SlotPorts> = {
    policy: () => spec.policy,
    acked: () => ({ logId: 'log', upTo: acked, epoch: 'e1', present: true }),
    door: () => doorOf(spec, Buffer.alloc(32)),
    classify: async () => ({ class: 'attached' }),
    head: (_id, _logId, head) => heads.push(head),
    state: (told) => states.push(told),
    changed: () => {},
    log: () => {},
  }
  slot = new SessionSlot(sessionId, ports as SlotPorts)
})
afterEach(async () => {
  slot.release()
  await host.close()
  rmSync(folder, { recursive: true })
})

describe('a daemon that finds a host of the version before', () => {
  it('[VER-2] [F33] takes it over, hears it, hands it commands, and is not put off by what it does not know', async () => {
    await slot.adopt()
    expect(slot.attached?.hello).toMatchObject({ proto: HOST_PROTOCOL - 1, head: 3 })
    expect(slot.state).toEqual(state)
    await host.until(() => host.heard.includes('acked'))
    acked = 4
    slot.tellAcked()
    await host.until(() => host.heard.filter((type) => type === 'acked').length === 2)
    expect(await slot.attached?.command(command)).toEqual({ state: 'accepted' })
    host.say({ type: 'head', head: 9 })
    host.say({ type: 'state', state: { ...state, rev: 2, atSeq: 9, status: { status: 'idle' } } })
    await slot.attached?.command(command)
    expect(heads).toEqual([3, 9])
    expect(states.at(-1)).toMatchObject({ rev: 2, status: { status: 'idle' } })
    expect(host.heard.filter((type) => type === 'auth')).toHaveLength(1)
  })
})
