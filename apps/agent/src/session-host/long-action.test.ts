import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCutValue, type PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { sessionFiles } from '../host-contract/paths'
import { SessionLog } from '../log/session-log'
import { createRedactor } from '../redact/redactor'
import { makeAsk } from './ask'
import { requestedEvent } from './permission-events'

let dir: TempDir
let log: SessionLog
beforeEach(() => {
  dir = tempDir('long')
  log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1_000 })
})
afterEach(() => {
  log.close()
  dir.remove()
})

const key = randomBytes(32)
const command = (suffix: string) => `${'echo fine; '.repeat(10_000)}${suffix}`

function asked(suffix: string): PermissionAsk {
  const request = { callId: 'k1', toolName: 'Bash', input: { command: command(suffix) } }
  const around = { key, redact: createRedactor([]), roots: [dir.path], workDir: dir.path }
  return makeAsk(request, { requestId: 'r1', procId: 'p1' }, { askedAt: 1_000 }, around).ask
}

it('[PERM-8] [LOG-6] a command of 100 KB: its digest covers the very end, the log shows both ends, the disk has it all', async () => {
  const ask = asked('rm -rf ~')
  expect(new Set(['rm -rf ~', 'rm -rf /', 'true'].map((suffix) => asked(suffix).digest)).size).toBe(3)
  expect(asked('rm -rf ~').digest).toBe(ask.digest)

  await log.append(requestedEvent(ask))
  const [row] = log.rows.eventsAfter(0, 1)
  const shown = JSON.parse(row?.body ?? '{}').ask as PermissionAsk
  expect(shown).toMatchObject({ inputCut: true, digest: ask.digest })
  if (!isCutValue(shown.input)) throw new Error('it was not cut')
  expect(shown.input.tail).toMatch(/rm -rf ~"}$/)
  const kept = readFileSync(join(sessionFiles(dir.path).artifacts, shown.input.artifactId ?? ''), 'utf8')
  expect(JSON.parse(kept)).toEqual({ command: command('rm -rf ~') })
})
