import { copyFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { wholeMatrix } from '../testing/variation'
import type { KnownLog } from './lost-log'
import { openLogReader } from './reader'
import { SessionLog } from './session-log'

/** A frame of the side file: a head of 24 bytes, then the page. Its own head is 32 bytes. */
const FRAME_BYTES = 24 + 4_096
const ACKED_UP_TO = 3

const text = (words: string): SessionEvent => ({ kind: 'assistant_text', text: words })

let dir: TempDir
let logId: string
/** Bytes of the side file before and after the last transaction. */
let whole: { from: number; to: number }
/** The folder of the session in a home of its own: the log bears the session's name. */
const sessionIn = (home: string) => path.join(dir.path, home, 's1')
const original = () => sessionIn('original')
const wal = (folder: string) => path.join(folder, 'log.db-wal')
const open = (folder: string, known?: KnownLog) =>
  SessionLog.open(folder, { redact: createRedactor([]), now: () => 1_000, ...(known ? { known } : {}) })

/** Three events in as many transactions, and two in a fourth, as they are on the disk while their writer lives. */
beforeAll(async () => {
  dir = tempDir('torn')
  const log = open(original())
  logId = log.logId
  for (const words of ['one', 'two', 'three']) await log.append(text(words))
  const from = statSync(wal(original())).size
  await log.append([text('four'), text('five '.repeat(1_200))], { meta: { with: 'four and five' } })
  whole = { from, to: statSync(wal(original())).size }
  for (const file of ['log.db', 'log.db-wal']) copyFileSync(path.join(original(), file), path.join(dir.path, file))
  log.close()
})
afterAll(() => dir.remove())

let copies = 0
/** The same disk after a power cut that left that much of the side file. */
function torn(bytes: number): string {
  const folder = sessionIn(`${copies++}`)
  mkdirSync(folder, { recursive: true })
  for (const file of ['log.db', 'log.db-wal']) copyFileSync(path.join(dir.path, file), path.join(folder, file))
  truncateSync(wal(folder), bytes)
  return folder
}

/** Every byte of the frames' heads and around them, and every 61st of their pages; of these, in a short run, every seventh. */
function offsets(): number[] {
  const all = Array.from({ length: whole.to - whole.from }, (_, i) => i)
  return all
    .filter((i) => i % FRAME_BYTES < 32 || i % FRAME_BYTES > FRAME_BYTES - 8 || i % 61 === 0)
    .filter((_, n) => wholeMatrix || n % 7 === 0)
    .map((i) => whole.from + i)
}

function found(folder: string) {
  const reader = openLogReader(folder)
  const all = reader.read(0, { maxEvents: 100, maxBytes: 1_000_000 })
  const { logId: id } = reader.found()
  reader.close()
  return { logId: id, seqs: all.map(({ seq }) => seq) }
}

describe('the next writer of a log whose last transaction was torn', () => {
  it('[F19] [T21] has all before it, and goes on at the next number of the same log: nobody was told', async () => {
    expect(whole.to - whole.from).toBeGreaterThan(2 * FRAME_BYTES)
    for (const bytes of offsets()) {
      const folder = torn(bytes)
      const log = open(folder, { logId, last: ACKED_UP_TO })
      expect([bytes, log.logId, log.head, log.rows.meta('with')]).toEqual([bytes, logId, ACKED_UP_TO, null])
      expect(await log.append(text('anew'))).toBe(ACKED_UP_TO + 1)
      log.close()
      expect(found(folder)).toEqual({ logId, seqs: [1, 2, 3, 4] })
    }
  })

  it('[F19] [T21] [REB-1.14] makes it another log where its end was told, since the hub may hold that', () => {
    const seen = new Set<string>()
    for (const bytes of offsets()) {
      const log = open(torn(bytes), { logId, last: 5 })
      expect([bytes, log.head]).toEqual([bytes, ACKED_UP_TO])
      seen.add(log.logId)
      log.close()
    }
    expect(seen.size).toBe(offsets().length)
    expect(seen).not.toContain(logId)
  })

  it('[F19] [T21] has it where no byte is missing', () => {
    const folder = torn(whole.to)
    const log = open(folder, { logId, last: 5 })
    expect([log.logId, log.head, log.rows.meta('with')]).toEqual([logId, 5, 'four and five'])
    log.close()
  })

  it('[F19] [T21] has all before it where a single bit of it was turned', () => {
    for (const at of offsets().filter((_, i) => i % 7 === 0)) {
      const folder = torn(whole.to)
      const bytes = readFileSync(wal(folder))
      bytes[at] = (bytes[at] ?? 0) ^ 0x10
      writeFileSync(wal(folder), bytes)
      const log = open(folder, { logId, last: ACKED_UP_TO })
      expect([at, log.logId, log.head]).toEqual([at, logId, ACKED_UP_TO])
      log.close()
    }
  })
})
