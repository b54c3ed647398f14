import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { SessionIndex } from './session-index'

let dir: TempDir
const file = () => path.join(dir.path, 'index.db')
const told: string[] = []
const open = () =>
  new SessionIndex(
    file(),
    (write) => write(),
    (line) => told.push(line),
  )

beforeEach(() => {
  dir = tempDir('index')
  told.length = 0
  const index = open()
  for (const sessionId of ['s1', 's2']) index.put(sessionId, { logId: 'log', last: 7, acked: 5, ackedEpoch: 'e' })
  index.close()
})
afterEach(() => dir.remove())

const asideNames = () => readdirSync(dir.path).filter((name) => name.includes('.broken-'))

it('[REB-4] [STORE-3] a file that is no index is set aside and begun anew', () => {
  writeFileSync(file(), 'no database at all, and longer than a header would be'.repeat(40))
  const index = open()
  expect(index.all()).toEqual([])
  index.put('s3', { logId: 'log', last: 1 })
  index.close()
  expect(asideNames()).toHaveLength(1)
  expect(told).toHaveLength(1)
  expect(
    open()
      .all()
      .map(({ sessionId }) => sessionId),
  ).toEqual(['s3'])
})

it('[REB-4] [STORE-3] a row whose number was turned is read from its log again; the others count', () => {
  const db = new Database(file())
  db.prepare('UPDATE sessions SET acked = acked + 1024 WHERE sessionId = ?').run('s1')
  db.close()
  expect(
    open()
      .all()
      .map(({ sessionId }) => sessionId),
  ).toEqual(['s2'])
  expect(told).toEqual(['1 rows of the index are damaged and are read anew'])
})

it('[REB-4] damage that is met while it is written costs nothing: all of it is in memory', () => {
  const index = open()
  truncateSync(file(), 4_096)
  index.put('s1', { last: 8 })
  index.flush()
  index.close()
  expect(
    open()
      .all()
      .map(({ sessionId, last }) => [sessionId, last]),
  ).toEqual([
    ['s1', 8],
    ['s2', 7],
  ])
})

it('[STORE-3] a program that holds the file costs no row and no daemon: it is written again later', () => {
  vi.useFakeTimers()
  const index = open()
  index.put('s1', { last: 8 })
  const other = new Database(file())
  other.exec('BEGIN IMMEDIATE')
  vi.advanceTimersByTime(3_000)
  index.put('s2', { last: 9 })
  index.flush()
  other.close()
  vi.advanceTimersByTime(1_000)
  vi.useRealTimers()
  const written = open()
  expect(written.all().map(({ last }) => last)).toEqual([8, 9])
  written.close()
  index.close()
})

it('[STORE-3] nor where it is held when the daemon starts', () => {
  const other = new Database(file())
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec('BEGIN EXCLUSIVE')
  const index = open()
  expect(index.all()).toHaveLength(2)
  index.put('s1', { last: 8 })
  index.flush()
  other.close()
  index.close()
  expect(
    open()
      .all()
      .map(({ last }) => last),
  ).toEqual([8, 7])
})

it('[STORE-3] a file that another program holds is tried once a second, however often its rows are asked to be written', () => {
  let tries = 0
  const index = new SessionIndex(file(), (write) => {
    tries += 1
    write()
  })
  tries = 0
  const other = new Database(file())
  other.exec('BEGIN IMMEDIATE')
  for (let last = 8; last < 12; last += 1) {
    index.put('s1', { last })
    index.flush()
  }
  expect(tries).toBe(1)
  other.exec('ROLLBACK')
  other.close()
  index.close()
  expect(open().get('s1')?.last).toBe(11)
})

it('[LINK-5.8] which sessions say more than their events is known to the next daemon; of an earlier release’s index nobody knows', () => {
  const index = open()
  index.put('s1', { saysMore: true })
  index.put('s2', { saysMore: false })
  index.close()
  const known = () =>
    open()
      .all()
      .map(({ saysMore }) => saysMore)
  expect(known()).toEqual([true, false])
  const db = new Database(file())
  db.exec('DROP TABLE accounts; DELETE FROM sums')
  db.close()
  expect(known()).toEqual([null, null])
  expect(told).toEqual([])
})

it('[LINK-5] [REB-4] a row that claims wrongly that its session says no more is read from its log again', () => {
  const index = open()
  index.put('s1', { saysMore: true })
  index.close()
  const db = new Database(file())
  db.prepare('UPDATE accounts SET saysMore = 0 WHERE sessionId = ?').run('s1')
  db.close()
  expect(
    open()
      .all()
      .map(({ sessionId }) => sessionId),
  ).toEqual(['s2'])
})
