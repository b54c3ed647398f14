import type { HostState } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import { LogRecords } from './log-records'

let row: { logId: string; last: number; acked: number; ackedEpoch: string } | undefined
let told: unknown[]
let records: LogRecords

beforeEach(() => {
  row = { logId: 'log1', last: 3, acked: 2, ackedEpoch: 'e1' }
  told = []
  const index = {
    get: () => row,
    put: (_id: string, fields: object) => {
      row = { logId: '', last: 0, acked: 0, ackedEpoch: '', ...row, ...fields }
    },
  }
  const logs = { forget: (sessionId: string) => told.push(['forgotten', sessionId]) }
  records = new LogRecords(index as unknown as SessionIndex, logs as unknown as SessionLogs, {
    head: (...said) => told.push(['head', ...said]),
    newLog: (sessionId) => told.push(['newLog', sessionId]),
    state: (state: HostState) => told.push(['state', state]),
    closed: (state: HostState) => told.push(['closed', state]),
    news: (...said) => told.push(['news', ...said]),
  })
})

describe('what the hub has taken of a log', () => {
  it('is present where the hub of that connection is connected now', () => {
    expect(records.acked('s1')).toEqual({ logId: 'log1', upTo: 2, epoch: 'e1', present: false })
    records.hubEpoch = 'e1'
    expect(records.acked('s1')).toMatchObject({ present: true })
  })

  it('is unknown before the first event, and before the first ack', () => {
    row = { logId: 'log1', last: 3, acked: 0, ackedEpoch: '' }
    expect(records.acked('s1')).toBeNull()
    row = undefined
    expect(records.acked('s1')).toBeNull()
  })
})

describe('[REB-1] a log that replaced another one', () => {
  it('takes no new work until the hub knows of it', () => {
    records.head('s1', 'log2', 1)
    expect(told).toEqual([
      ['forgotten', 's1'],
      ['newLog', 's1'],
      ['head', 's1', 1],
    ])
    expect(() => records.requireAgreed('s1')).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }))
    expect(() => records.requireAgreed('s2')).not.toThrow()
    records.agreed('s1')
    expect(() => records.requireAgreed('s1')).not.toThrow()
  })

  it('is not the first log of a session, nor the same log that grew', () => {
    records.head('s1', 'log1', 4)
    row = undefined
    records.head('s1', 'log9', 1)
    expect(told).toEqual([
      ['head', 's1', 4],
      ['head', 's1', 1],
    ])
    expect(() => records.requireAgreed('s1')).not.toThrow()
  })
})
