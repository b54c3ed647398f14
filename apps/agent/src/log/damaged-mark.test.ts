import { readdirSync, writeFileSync } from 'node:fs'
import type { SessionEvent } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { sessionFiles } from '../host-contract/paths'
import { createRedactor } from '../redact/redactor'
import { damagedMark, markDamaged } from './damaged-mark'
import { logLostKey } from './lost-log'
import { SessionLog } from './session-log'

let dir: TempDir
beforeEach(() => {
  dir = tempDir('marked')
})
afterEach(() => dir.remove())

const text: SessionEvent = { kind: 'assistant_text', text: 'one' }
const open = () => SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1_000 })
const found = 'a page contradicts another'

async function written(): Promise<string> {
  const log = open()
  await log.append(text)
  log.close()
  return log.logId
}

/** The log as its next holder finds it. */
function next() {
  const log = open()
  const account = { logId: log.logId, head: log.head, lost: log.rows.meta(logLostKey) }
  log.close()
  return account
}

it('[REB-4.4] [REB-4.5] a marked log is set aside, and the next one says that it takes its place; the mark is void then', async () => {
  const logId = await written()
  markDamaged(dir.path, { logId, found })
  expect(next()).toEqual({ logId: expect.not.stringMatching(logId), head: 0, lost: 'damaged' })
  expect(readdirSync(dir.path)).toContain('log.db.broken-1000')
  expect(damagedMark(dir.path)).toBeNull()
})

it('[REB-4] a mark that means the log before this one is void', async () => {
  const logId = await written()
  markDamaged(dir.path, { logId: 'the one before', found })
  expect(next()).toEqual({ logId, head: 1, lost: null })
  expect(damagedMark(dir.path)).toBeNull()
})

it('[REB-4.3] a mark of one who could not read its id is void where the log is whole', async () => {
  const logId = await written()
  markDamaged(dir.path, { logId: null, found: 'no such table: meta' })
  expect(next()).toEqual({ logId, head: 1, lost: null })
  expect(damagedMark(dir.path)).toBeNull()
})

it.each([
  'DROP TABLE inbox',
  'DROP TABLE meta',
  "DELETE FROM meta WHERE key = 'logId'",
  "INSERT INTO meta VALUES ('acked', '{')",
])('[REB-4] and counts where it is not: %s', async (damage) => {
  const logId = await written()
  const db = new Database(sessionFiles(dir.path).log)
  db.exec(damage)
  db.close()
  markDamaged(dir.path, { logId: null, found })
  expect(next()).toEqual({ logId: expect.not.stringMatching(logId), head: 0, lost: 'damaged' })
})

it('[REB-4] a mark that is left while the log is set aside is void', async () => {
  const logId = await written()
  markDamaged(dir.path, { logId, found })
  const options = { redact: createRedactor([]), now: () => 1_000 }
  const setAside = () => markDamaged(dir.path, { logId: null, found: 'no such table: meta' })
  SessionLog.open(dir.path, { ...options, setAside }).close()
  expect(damagedMark(dir.path)).toBeNull()
})

it('[REB-4.4] also where nobody had marked it', async () => {
  await written()
  writeFileSync(sessionFiles(dir.path).log, 'torn '.repeat(2_000))
  const options = { redact: createRedactor([]), now: () => 1_000 }
  const setAside = () => markDamaged(dir.path, { logId: null, found: 'no such table: meta' })
  SessionLog.open(dir.path, { ...options, setAside }).close()
  expect(damagedMark(dir.path)).toBeNull()
})

it('[REB-4] a mark that cannot be read is one all the same', async () => {
  const logId = await written()
  writeFileSync(sessionFiles(dir.path).damaged, 'torn')
  expect(next()).toEqual({ logId: expect.not.stringMatching(logId), head: 0, lost: 'damaged' })
})
