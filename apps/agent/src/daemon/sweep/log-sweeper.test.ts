// Sessions with old logs that their hub has, pruned one after the other.
import { expect, it } from 'vitest'
import { LogSweeper } from './log-sweeper'

const limits = { keepMs: 1, keepSessionBytes: 1, keepAgentBytes: 1, backlogBytes: 1 }

it('[REB-3] [FLOW-7] a session that does not come to its end keeps no other from being pruned, and is not asked twice', async () => {
  const asked: string[] = []
  const rows = ['s1', 's2', 's3'].map((sessionId) => ({
    sessionId,
    logId: 'l',
    acked: 9,
    ackedEpoch: 'e',
    last: 10,
    changed: false,
    stamp: 1,
    saysMore: false,
  }))
  const sweeper = new LogSweeper(
    { all: () => rows, get: (sessionId) => rows.find((row) => row.sessionId === sessionId) },
    { bytes: () => 10, stamp: () => 1, askOnce: <T>() => ({ first: 1, at: 1 }) as T },
    {
      hubEpoch: 'e',
      known: () => undefined,
      hosted: (sessionId) => ({
        prune: () => {
          asked.push(sessionId)
          return sessionId === 's2' ? new Promise(() => {}) : Promise.resolve()
        },
      }),
    },
    () => limits as never,
    () => 1_000_000,
    () => {},
    200,
  )
  await sweeper.sweep()
  expect(asked).toEqual(['s1', 's2', 's3'])
  await sweeper.sweep()
  expect(asked).toEqual(['s1', 's2', 's3', 's1', 's3'])
})
