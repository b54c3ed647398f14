import { expect, it } from 'vitest'
import type { NewsOutbox } from './news-outbox'
import { refreshIndex } from './refresh-index'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'

it('[REB-4.19] one folder that the system does not give back at the start keeps no other session away, and is named', () => {
  const looked: string[] = []
  const logs = {
    noticeMark: (sessionId: string) => {
      looked.push(sessionId)
      if (sessionId === 's1') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      return true
    },
  } as unknown as SessionLogs
  const index = { all: () => [] } as unknown as SessionIndex
  const told: string[] = []
  expect(refreshIndex(index, logs, ['s1', 's2'], {} as NewsOutbox, (line) => told.push(line))).toEqual([])
  expect(looked).toEqual(['s1', 's2'])
  expect(told).toEqual(['s1: its folder cannot be read now: Error: EIO: i/o error'])
})

it('[REB-4] what is remembered under a name that is no id is forgotten', () => {
  const removed: string[] = []
  const index = {
    all: () => [{ sessionId: 's1.bak' }],
    remove: (sessionId: string) => removed.push(sessionId),
  } as unknown as SessionIndex
  expect(refreshIndex(index, {} as SessionLogs, [], {} as NewsOutbox, () => {})).toEqual([])
  expect(removed).toEqual(['s1.bak'])
})
