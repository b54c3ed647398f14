import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { wholeMatrix } from '../testing/variation'
import { isLost } from './lost-log'
import { openLogReader } from './reader'
import { SessionLog } from './session-log'

let written: TempDir
let torn: TempDir
beforeEach(() => {
  written = tempDir('log')
  torn = tempDir('torn')
})
afterEach(() => {
  written.remove()
  torn.remove()
})

it('[F19] [T21] [REB-1] a log that is torn anywhere in its last commit has all that came before it, and is known to be short', async () => {
  const log = SessionLog.open(written.path, { redact: createRedactor([]), now: () => 1_000 })
  const text = (n: number): SessionEvent => ({ kind: 'assistant_text', text: `text ${n}` })
  const side = join(written.path, 'log.db-wal')
  for (let n = 1; n < 20; n++) await log.append(text(n))
  const before = readFileSync(side).length
  await log.append(text(20))
  const whole = readFileSync(side)
  copyFileSync(join(written.path, 'log.db'), join(torn.path, 'log.db'))
  const known = { logId: log.logId, last: 20 }
  log.close()

  const found = new Map<string, number>()
  const cuts = Array.from({ length: whole.length - before + 1 }, (_, n) => before + n)
  // Around the head of the frame each, then every 61st, and the last two.
  const played = cuts.filter((_, n) => wholeMatrix || n < 64 || n % 61 === 0 || n > cuts.length - 3)
  for (const cut of played) {
    for (const name of ['log.db-shm', 'log.db-wal']) rmSync(join(torn.path, name), { force: true })
    writeFileSync(join(torn.path, 'log.db-wal'), whole.subarray(0, cut))
    const reader = openLogReader(torn.path)
    const seqs = reader.read(0, { maxEvents: 100, maxBytes: 1_000_000 }).map(({ seq }) => seq)
    const account = `${seqs.length} dense ${seqs.every((seq, i) => seq === i + 1)} lost ${isLost(known, reader.found())}`
    found.set(account, (found.get(account) ?? 0) + 1)
    reader.close()
  }
  expect(Object.fromEntries(found)).toEqual({
    '19 dense true lost true': played.length - 1,
    '20 dense true lost false': 1,
  })
})
