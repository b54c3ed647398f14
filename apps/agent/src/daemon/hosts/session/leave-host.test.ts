import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostClass } from '../../../processes/classify'
import { hostedOf, OlderHost } from '../../../testing/older-host'
import type { LaunchMode } from './hosted-session-ports'

const state: HostState = {
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 3,
  status: { status: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
}

let folder: string
let host: OlderHost
let launched: LaunchMode[]
let reaped: string[]
let found: HostClass
let heardState: () => void
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  launched = []
  reaped = []
  found = { class: 'attached' }
  heardState = () => {}
  host = new OlderHost(state)
  await host.listen(path.join(folder, 'h.sock'))
})
afterEach(async () => {
  await host.close()
  rmSync(folder, { recursive: true })
})

async function attachedSession(patience?: { answerMs: number; leaveMs: number }) {
  const hosted = hostedOf(
    folder,
    {
      processes: {
        launch: (_id, mode) => {
          launched.push(mode)
          if (mode.mode !== 'close') throw new Error('no further host is to be started here')
          const exited = Promise.resolve({ code: 0, signal: null })
          const door = { socketPath: path.join(folder, 'nobody.sock'), token: 'x'.repeat(32) }
          return { door, host: { pid: 1, exited } }
        },
        classify: async () => (reaped.length > 0 ? { class: 'dead' } : found),
        inStartTurn: (_id, work) => work(),
        reap: async (sessionId) => void reaped.push(sessionId),
      },
      records: { settled: () => {}, closed: () => {} },
      reports: { state: () => heardState() },
      erasing: { begin: () => {}, erase: async () => {} },
    },
    patience,
  )
  await hosted.adopt()
  expect(hosted.attached).not.toBeNull()
  return hosted
}

describe('[CMD-8] [FLOW-3] a host that is asked to leave', () => {
  it('[CMD-8.8] [CMD-8.9] and answers nobody while it rests by its last account, is ended, and the next host records that', async () => {
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('stop')
    found = { class: 'stuck' }
    expect(await hosted.stop('idle')).toBe(true)
    expect({ reaped, launched, place: hosted.place }).toEqual({
      reaped: ['s1'],
      launched: [{ mode: 'close', unwritten: true }],
      place: false,
    })
    hosted.release()
  })

  it('[CMD-8.10] stays where it greets whoever comes anew, or answers that it is busy', async () => {
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('stop')
    expect(await hosted.stop('idle')).toBe(false)
    hosted.release()
    const other = await attachedSession()
    host.silentTo.clear()
    host.stops = false
    found = { class: 'stuck' }
    expect(await other.stop('idle')).toBe(false)
    expect({ reaped, launched, place: other.place }).toEqual({ reaped: [], launched: [], place: true })
    other.release()
  })

  it.each<[string, Partial<HostState>]>([
    ['a turn runs', { status: { status: 'running' }, turnId: 't1' }],
    ['it starts', { status: { status: 'starting' } }],
    ['a person is asked', { requests: [], openRequests: 1 }],
    [
      'something runs beside the turns',
      { background: [{ taskId: 'b1', kind: 'command', label: 'npm test', canStop: true, startedAt: 1 }] },
    ],
    ['its disk takes nothing', { status: { status: 'paused', why: 'disk' } }],
  ])('[CMD-8.11] stays, however silent, where by its last account %s', async (_what, fields) => {
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    const told = new Promise<void>((resolve) => {
      heardState = resolve
    })
    host.say({ type: 'state', state: { ...state, rev: 2, ...fields } })
    await told
    host.silentTo.add('stop')
    found = { class: 'stuck' }
    expect(await hosted.stop('idle')).toBe(false)
    expect({ reaped, launched, place: hosted.place }).toEqual({ reaped: [], launched: [], place: true })
    hosted.release()
  })

  it('[CMD-8.8] and has no place and answers nobody, is ended before one is given to its session', async () => {
    host.place = false
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('place')
    found = { class: 'stuck' }
    await expect(hosted.host(true)).rejects.toThrow('no further host is to be started here')
    expect({ reaped, launched: launched.map(({ mode }) => mode) }).toEqual({
      reaped: ['s1'],
      launched: ['close', 'run'],
    })
    hosted.release()
  })

  it('and is still there when its time is over, is ended, and gives its place back', async () => {
    const hosted = await attachedSession({ answerMs: 20_000, leaveMs: 0 })
    expect(hosted.place).toBe(true)
    expect(await hosted.stop('idle')).toBe(true)
    expect(reaped).toEqual(['s1'])
    expect({ place: hosted.place, state: hosted.state, attached: hosted.attached }).toEqual({
      place: false,
      state: null,
      attached: null,
    })
    hosted.release()
  })

  it('for good and does not answer, is ended: its session can be erased', async () => {
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('stop')
    await hosted.erase()
    expect(reaped).toEqual(['s1', 's1'])
  })
})

describe('[SES-3] a session that was erased', () => {
  it('is not begun anew by what still waited for its turn', async () => {
    const hosted = await attachedSession({ answerMs: 0, leaveMs: 0 })
    const erased = hosted.erase()
    const later = [
      hosted.adopt(),
      hosted.prune({ keepMs: 1, keepBytes: 1, backlogBytes: 1 }),
      hosted.mend(),
      hosted.rebase({ held: 1, to: 2 }, 'e1', 'log'),
    ]
    await erased
    const ends = await Promise.allSettled(later)
    expect(launched).toEqual([])
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    await expect(hosted.host()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(launched).toEqual([])
  })
})
