import type { HostState, SessionStatus } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ResumeWaker } from './resume-waker'

const NOW = 1_000_000
const wants = (at: number): SessionStatus => ({
  status: 'resumable',
  why: 'host_died',
  resumes: { attempt: 1, at },
})
const account = (status: SessionStatus, fields: Partial<HostState> = {}): HostState => ({
  sessionId: 's_1',
  leaseToken: 1,
  rev: 1,
  atSeq: 1,
  status,
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
  ...fields,
})
const prompt = { promptId: 'p_1', rev: 0, text: 'Go on.', commandId: 'c_1' }

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

function makeWaker(start: () => Promise<unknown> = async () => {}) {
  const did: string[] = []
  const waker = new ResumeWaker({
    enter: async () => did.push('enter') > 0,
    entered: () => void did.push('entered'),
    withdraw: () => {},
    start: () => {
      did.push('start')
      return start()
    },
    giveUp: async () => did.push('give up'),
    isPassing: (error) => error instanceof Error && error.message === 'full',
    now: () => Date.now(),
    log: () => {},
  })
  const starts = () => did.filter((what) => what === 'start').length
  return { waker, did, starts }
}

describe('[RES-3] a session that goes on by itself, and has no host with a place', () => {
  it('waits for its time, and begins the line only then', async () => {
    const { waker, did } = makeWaker()
    waker.begin()
    waker.seen(account(wants(NOW + 1_000)), false)
    await vi.advanceTimersByTimeAsync(999)
    expect(did).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(did).toEqual(['enter', 'start', 'entered'])
  })

  it('waits until the daemon has settled what was left to it', async () => {
    const { waker, starts } = makeWaker()
    for (const sessionId of ['s_1', 's_2']) waker.seen(account(wants(NOW), { sessionId }), false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(starts()).toBe(0)
    waker.begin()
    await vi.advanceTimersByTimeAsync(1)
    expect(starts()).toBe(2)
  })

  it('waits once, however often its account is told', async () => {
    const { waker, starts } = makeWaker()
    waker.begin()
    for (let told = 0; told < 5; told += 1) waker.seen(account(wants(NOW + 1_000)), false)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(starts()).toBe(1)
  })

  it.each([
    ['its host has a place', account(wants(NOW + 1_000)), true],
    ['a person took that back', account({ status: 'resumable', why: 'host_died' }), false],
    ['it was ended', account({ status: 'ended', why: 'stopped' }), false],
    ['a prompt waits that starts its program', account(wants(NOW + 1_000), { queue: [prompt] }), false],
  ])('is left alone once %s', async (_why, next, place) => {
    const { waker, starts } = makeWaker()
    waker.begin()
    waker.seen(account(wants(NOW + 1_000)), false)
    waker.seen(next, place)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([starts(), waker.sessions()]).toEqual([0, []])
  })

  it('waits no longer than the longest pause where the clock was put back', async () => {
    const { waker, starts } = makeWaker()
    waker.begin()
    waker.seen(account(wants(NOW + 86_400_000)), false)
    await vi.advanceTimersByTimeAsync(16_000)
    expect(starts()).toBe(1)
  })

  it('[RES-3.19] starts three hosts that die of one attempt, gives up, and starts again for the next attempt', async () => {
    const { waker, did, starts } = makeWaker(() => Promise.reject(new Error('it died')))
    waker.begin()
    for (let death = 0; death < 5; death += 1) {
      waker.seen(account(wants(NOW)), true) // it was there
      waker.seen(account(wants(NOW)), false)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(starts()).toBe(3)
    expect(did.filter((what) => what === 'give up').length).toBeGreaterThan(0)
    waker.seen(account(wants(NOW + 1)), false)
    await vi.advanceTimersByTimeAsync(1)
    expect(starts()).toBe(4)
  })

  it('gives up once where its three hosts never came, and waits for nothing any more', async () => {
    const { waker, did, starts } = makeWaker(() => Promise.reject(new Error('it died')))
    waker.begin()
    waker.seen(account(wants(NOW)), false)
    await vi.advanceTimersByTimeAsync(600_000)
    expect([starts(), did.at(-1), did.filter((what) => what === 'give up').length]).toEqual([3, 'give up', 1])
    expect(waker.sessions()).toEqual([])
  })

  it('[FLOW-4] [FLOW-5] is tried until it can be started again, however often', async () => {
    let full = true
    const { waker, starts } = makeWaker(() => (full ? Promise.reject(new Error('full')) : Promise.resolve()))
    waker.begin()
    waker.seen(account(wants(NOW)), false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(starts()).toBeGreaterThan(10)
    full = false
    waker.seen(account(wants(NOW)), false)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(waker.sessions()).toEqual(['s_1'])
  })

  it('waits for the next daemon when this one leaves', async () => {
    const { waker, starts } = makeWaker()
    waker.begin()
    waker.seen(account(wants(NOW)), false)
    waker.stop()
    waker.seen(account(wants(NOW + 5)), false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(starts()).toBe(0)
  })
})
