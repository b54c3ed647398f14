import type { HostState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { SessionLog } from '../log/session-log'
import { StateBoard } from './state-board'

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
  const board = new StateBoard('s_1', log as SessionLog, parts, (state) => sent.push(state))
  return { board, sent, rest: () => (running = false) }
}

describe('the state board', () => {
  it('[LINK-5] tells nothing that is not on the disk, and then the newest only', async () => {
    const log = { head: 3, lastSeq: 5, leaseToken: 1 }
    const { board, sent, rest } = boardOver(log)
    board.raise()
    await turn()
    expect(sent).toEqual([])
    rest()
    log.head = 5
    board.committed()
    expect(sent).toMatchObject([{ atSeq: 5, rev: 1, status: { status: 'idle' } }])
  })

  it('does not take what is just being written for a disk that refuses', async () => {
    const log = { head: 3, lastSeq: 3, leaseToken: 1 }
    const { board } = boardOver(log)
    expect(board.fresh().status).toEqual({ status: 'running' })
    log.lastSeq = 4
    expect(board.fresh().status).toEqual({ status: 'running' })
  })

  it('[FLOW-2] [F16] says that the disk refuses, although what it was about to tell cannot become true', async () => {
    const log = { head: 3, lastSeq: 3, leaseToken: 1 }
    const { board, sent } = boardOver(log)
    board.raise()
    await turn()
    log.lastSeq = 9
    board.raise()
    board.stalled()
    await turn()
    expect(sent).toMatchObject([
      { atSeq: 3, rev: 1, status: { status: 'running' } },
      { atSeq: 3, rev: 2, status: { status: 'paused', why: 'disk' } },
    ])
  })
})
