import { CodedError, type HostState } from '@roundhouse/backend-types'
import { describe, expect, it, vi } from 'vitest'
import { QueueWaker } from './queue-waker'

const entry = { promptId: 'p_1', rev: 0, text: 'Go on.', commandId: 'c_1' }
const state = (fields: Partial<HostState> = {}): HostState => ({
  sessionId: 's_1',
  leaseToken: 1,
  rev: 1,
  atSeq: 1,
  status: { status: 'idle' },
  queue: [entry],
  queueHeld: false,
  requests: [],
  openBlocks: [],
  ...fields,
})

function makeWaker(start: () => Promise<unknown> = async () => {}) {
  const did: string[] = []
  const waker = new QueueWaker({
    enter: async () => did.push('enter') > 0,
    entered: () => void did.push('entered'),
    start: (sessionId) => {
      did.push(`start ${sessionId}`)
      return start()
    },
    withdraw: (sessionId) => did.push(`withdraw ${sessionId}`),
    note: (sessionId) => did.push(`note ${sessionId}`),
    forget: () => {},
    isPassing: (error) => error instanceof Error && error.message === 'full',
    log: (line) => did.push(line),
  })
  return { waker, did }
}

describe('a session whose host died', () => {
  it('[CMD-2] [CMD-5] begins the prompt that it had accepted, in its place among the running', async () => {
    const { waker, did } = makeWaker()
    await waker.left(state())
    expect(did).toEqual(['note s_1', 'enter', 'start s_1', 'entered'])
  })

  it.each([
    ['has nothing waiting', state({ queue: [] })],
    ['holds its queue', state({ queueHeld: true })],
    ['has ended', state({ status: { status: 'ended', why: 'stopped' } })],
  ])('[CMD-5] is left alone when it %s', async (_name, left) => {
    const { waker, did } = makeWaker()
    await waker.left(left)
    expect(did).toEqual([])
  })

  it('[FLOW-4] is woken until the disk takes writes again, however often', async () => {
    vi.useFakeTimers()
    let full = true
    const { waker, did } = makeWaker(() => (full ? Promise.reject(new Error('full')) : Promise.resolve()))
    await waker.left(state())
    await vi.advanceTimersByTimeAsync(60_000)
    full = false
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    expect(did.filter((what) => what === 'start s_1').length).toBeGreaterThan(10)
    expect(did.slice(-2)).toEqual(['start s_1', 'entered'])
  })

  it.each(['ALREADY_RUNNING', 'STORAGE_UNAVAILABLE'] as const)(
    '[CMD-2] is woken until nothing stands in its way any more, however often it hears %s',
    async (code) => {
      vi.useFakeTimers()
      let held = true
      const { waker, did } = makeWaker(() => (held ? Promise.reject(new CodedError(code)) : Promise.resolve()))
      await waker.left(state())
      await vi.advanceTimersByTimeAsync(60_000)
      held = false
      await vi.advanceTimersByTimeAsync(60_000)
      vi.useRealTimers()
      expect(did.filter((what) => what === 'start s_1').length).toBeGreaterThan(10)
      expect(did.slice(-2)).toEqual(['start s_1', 'entered'])
    },
  )

  it('is woken three times, and again once a turn has begun', async () => {
    const { waker, did } = makeWaker(() => Promise.reject(new Error('it died again')))
    for (let death = 0; death < 5; death += 1) await waker.left(state())
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(3)
    waker.seen(state({ turnId: 't_1' }), { place: true, lives: true })
    await waker.left(state())
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(4)
  })
})

describe('what a host that died left in its log', () => {
  it('[CMD-8] wakes its session no oftener than its death does: both are told of each', async () => {
    const { waker, did } = makeWaker()
    for (let death = 0; death < 5; death += 1) {
      waker.seen(state(), { place: false, lives: false })
      await waker.left(state())
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(3)
  })

  it('[SES-3] does not wake a session that was erased meanwhile', async () => {
    vi.useFakeTimers()
    const { waker, did } = makeWaker(() => Promise.reject(new Error('full')))
    await waker.left(state())
    waker.erased('s_1')
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    expect(did.filter((what) => what === 'note s_1')).toHaveLength(1)
  })
})

describe('a session whose host has no place', () => {
  it('[CMD-2] has its turn once, however often its account is told', async () => {
    const { waker, did } = makeWaker()
    waker.seen(state(), { place: false, lives: true })
    waker.seen(state(), { place: false, lives: true })
    await Promise.resolve()
    await Promise.resolve()
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(1)
  })

  it('[CMD-5] is withdrawn when a person took its prompt out of the queue', () => {
    const { waker, did } = makeWaker()
    waker.seen(state(), { place: false, lives: true })
    waker.seen(state({ queue: [] }), { place: false, lives: true })
    expect(did).toContain('withdraw s_1')
  })

  it('waits for the next daemon when this one leaves', async () => {
    const { waker, did } = makeWaker()
    waker.stop()
    await waker.wake('s_1', 'c_1')
    expect(did).toEqual([])
  })
})
