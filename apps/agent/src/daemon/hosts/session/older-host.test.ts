import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Command, HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HOST_PROTOCOL } from '../../../host-contract/messages'
import { hostedOf, OlderHost } from '../../../testing/older-host'
import type { HostedSession } from './hosted-session'

const sessionId = 's1'
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

let folder: string
let host: OlderHost
let hosted: HostedSession
let acked = 3
const heads: number[] = []
const states: HostState[] = []

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  host = new OlderHost(state)
  await host.listen(path.join(folder, 'h.sock'))
  hosted = hostedOf(folder, {
    records: {
      acked: () => ({ logId: 'log', upTo: acked, epoch: 'e1', present: true }),
      head: (_id, _logId, head) => heads.push(head),
    },
    reports: { state: (told) => states.push(told) },
  })
})
afterEach(async () => {
  hosted.release()
  await host.close()
  rmSync(folder, { recursive: true })
})

describe('a daemon that finds a host of the version before', () => {
  it('[VER-2.1] [F33] takes it over, hears it, hands it commands, and is not put off by what it does not know', async () => {
    await hosted.adopt()
    expect(hosted.attached?.hello).toMatchObject({ proto: HOST_PROTOCOL - 1, head: 3 })
    expect(hosted.state).toEqual(state)
    await host.until(() => host.heard.includes('acked'))
    acked = 4
    hosted.tellAcked()
    await host.until(() => host.heard.filter((type) => type === 'acked').length === 2)
    expect(await hosted.attached?.command(command)).toEqual({ state: 'accepted' })
    host.say({ type: 'head', head: 9 })
    host.say({ type: 'state', state: { ...state, rev: 2, atSeq: 9, status: { status: 'idle' } } })
    await hosted.attached?.command(command)
    expect(heads).toEqual([3, 9])
    expect(states.at(-1)).toMatchObject({ rev: 2, status: { status: 'idle' } })
    expect(host.heard.filter((type) => type === 'auth')).toHaveLength(1)
  })

  it('[CMD-11.14] refuses a question for it, and a change that it would drop, and sends neither', async () => {
    await hosted.adopt()
    const { attached } = hosted
    const refusal = (method: string) => ({ code: 'UNSUPPORTED', details: { method } })
    const send = (body: Command['body']) => attached?.command({ ...command, body })
    await expect(attached?.query('accountInfo')).rejects.toMatchObject(refusal('accountInfo'))
    const dropped: Array<[string, Command['body']]> = [
      ['rewindFiles', { kind: 'files.rewind', promptId: 'p1' }],
      ['setMaxThinkingTokens', { kind: 'session.configure', changes: { maxThinkingTokens: 1_024 } }],
    ]
    for (const [method, body] of dropped)
      expect(await send(body)).toMatchObject({ state: 'refused', error: refusal(method) })
    const kept: Command['body'] = { kind: 'session.configure', changes: { model: 'small' } }
    expect(await send(kept)).toEqual({ state: 'accepted' })
    expect(host.heard.filter((type) => type === 'query' || type === 'command')).toEqual(['command'])
  })
})
