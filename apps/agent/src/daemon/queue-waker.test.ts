import type { HostState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
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
    enter: async () => void did.push('enter'),
    entered: () => void did.push('entered'),
    start: (sessionId) => {
      did.push(`start ${sessionId}`)
      return start()
    },
    log: (line) => did.push(line),
  })
  return { waker, did }
}

describe('a session whose host died', () => {
  it('[CMD-2] [CMD-5] begins the prompt that it had accepted, in its place among the running', async () => {
    const { waker, did } = makeWaker()
    await waker.left(state())
    expect(did).toEqual(['enter', 'start s_1', 'entered'])
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

  it('is woken three times, and again once a turn has begun', async () => {
    const { waker, did } = makeWaker(() => Promise.reject(new Error('it died again')))
    for (let death = 0; death < 5; death += 1) await waker.left(state())
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(3)
    waker.seen(state({ turnId: 't_1' }))
    await waker.left(state())
    expect(did.filter((what) => what === 'start s_1')).toHaveLength(4)
  })
})
