import type { HostState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type CrowdedHost, HostCrowd } from './host-crowd'

const state = (fields: Partial<HostState> = {}): HostState => ({
  sessionId: 's',
  leaseToken: 1,
  rev: 1,
  atSeq: 1,
  status: { status: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
  ...fields,
})
const waits = state({ queue: [{ promptId: 'p', rev: 0, text: 'Go on.', commandId: 'c' }] })

function machine(note: (sessionId: string) => void = () => {}) {
  const hosts: CrowdedHost[] = []
  const did: string[] = []
  const crowd = new HostCrowd(
    () => hosts,
    (sessionId, commandId) => {
      note(sessionId)
      did.push(`note ${sessionId} ${commandId}`)
    },
    () => {},
  )
  const add = (sessionId: string, fields: Partial<CrowdedHost> = {}) =>
    hosts.push({
      sessionId,
      place: false,
      busy: false,
      state: state(),
      leave: async () => did.push(`leave ${sessionId}`),
      ...fields,
    })
  return { crowd, add, did }
}

describe('hosts without a place', () => {
  it('[SES-6] leave at once when all that they have is a prompt that waits, and first the disk knows of it', () => {
    const { crowd, add, did } = machine()
    add('a', { state: waits })
    add('b')
    crowd.look()
    crowd.look()
    expect(did).toEqual(['note a c', 'leave a', 'note a c'])
  })

  it('stay where the disk does not take the note', () => {
    const { crowd, add, did } = machine(() => {
      throw new Error('disk full')
    })
    add('a', { state: waits })
    crowd.look()
    expect(did).toEqual([])
  })

  it('leave when there are more than a few, the one with nothing to do for longest first', () => {
    const { crowd, add, did } = machine()
    for (let n = 0; n < 8; n += 1) add(`s${n}`)
    crowd.look()
    expect(did).toEqual([])
    add('s8')
    crowd.look()
    expect(did).toEqual(['leave s0'])
  })

  it('stay while they have a place, or something is on its way to them', () => {
    const { crowd, add, did } = machine()
    add('a', { state: waits, place: true })
    add('b', { state: waits, busy: true })
    for (let n = 0; n < 20; n += 1) add(`s${n}`, { busy: true })
    crowd.look()
    expect(did).toEqual([])
  })
})
