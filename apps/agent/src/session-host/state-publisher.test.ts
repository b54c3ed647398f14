import type { HostState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { SessionLog } from '../log/session-log'
import { StatePublisher } from './state-publisher'

const turn = () => new Promise((resolve) => setImmediate(resolve))

function boardOver(log: { head: number; lastSeq: number; leaseToken: number }) {
  const sent: HostState[] = []
  let running = true
  const parts = () => ({
    status: { status: running ? ('running' as const) : ('idle' as const) },
    queue: [],
    queueHeld: false,
    requests: [],
    openBlocks: [],
  })
  const publisher = new StatePublisher('s_1', log as SessionLog, parts, (state) => sent.push(state))
  return { publisher, sent, rest: () => (running = false) }
}

describe('the state publisher', () => {
  it('[LINK-5] tells nothing that is not on the disk, and then the newest only', async () => {
    const log = { head: 3, lastSeq: 5, leaseToken: 1 }
    const { publisher, sent, rest } = boardOver(log)
    publisher.raise()
    await turn()
    expect(sent).toEqual([])
    rest()
    log.head = 5
    publisher.committed()
    expect(sent).toMatchObject([{ atSeq: 5, rev: 1, status: { status: 'idle' } }])
  })

  it('does not take what is just being written for a disk that refuses', async () => {
    const log = { head: 3, lastSeq: 3, leaseToken: 1 }
    const { publisher } = boardOver(log)
    expect(publisher.fresh().status).toEqual({ status: 'running' })
    log.lastSeq = 4
    expect(publisher.fresh().status).toEqual({ status: 'running' })
  })

  it('[FLOW-2.6] [F16] says that the disk refuses, although what it was about to tell cannot become true', async () => {
    const log = { head: 3, lastSeq: 3, leaseToken: 1 }
    const { publisher, sent } = boardOver(log)
    publisher.raise()
    await turn()
    log.lastSeq = 9
    publisher.raise()
    publisher.stalled()
    await turn()
    expect(sent).toMatchObject([
      { atSeq: 3, rev: 1, status: { status: 'running' } },
      { atSeq: 3, rev: 2, status: { status: 'paused', why: 'disk' } },
    ])
  })
})
