import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { openLogReader } from './reader'
import { SessionLog } from './session-log'

const DAY = 86_400_000

let dir: TempDir
beforeEach(() => {
  dir = tempDir('clock')
})
afterEach(() => dir.remove())

it('[F18] [LOG-2] a clock that jumps by a day and back changes no number and no order, over two holders of the log', async () => {
  let now = 1_800_000_000_000
  const open = () => SessionLog.open(dir.path, { redact: createRedactor([]), now: () => now })
  let log = open()
  for (const [index, jump] of [0, DAY, -2 * DAY, DAY, -DAY].entries()) {
    now += jump
    await log.append({ kind: 'assistant_text', text: `${index + 1}` })
    log.close()
    log = open()
  }
  log.close()
  const reader = openLogReader(dir.path)
  const rows = reader.read(0, { maxEvents: 100, maxBytes: 1_000_000 })
  reader.close()
  expect(rows.map(({ seq, body }) => [seq, JSON.parse(body).text])).toEqual([1, 2, 3, 4, 5].map((n) => [n, `${n}`]))
  expect(new Set(rows.map(({ at }) => at)).size).toBeGreaterThan(2)
})
