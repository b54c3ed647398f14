import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCutValue, type PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { sessionFiles } from '../../host-contract/paths'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
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
const command = (suffix: string, times: number) => `${'echo fine; '.repeat(times)}${suffix}`
const HUNDRED_KB = 9_300
const MORE = 20_000

function asked(suffix: string, times: number): PermissionAsk {
  const request = { callId: 'k1', toolName: 'Bash', input: { command: command(suffix, times) } }
  const around = {
    key,
    redact: createRedactor([]),
    roots: [dir.path],
    workDir: dir.path,
    folders: [dir.path],
    rules: {},
    mayMode: () => true,
  }
  return makeAsk(request, { requestId: 'r1', procId: 'p1' }, { askedAt: 1_000 }, around).ask
}

async function logged(ask: PermissionAsk): Promise<PermissionAsk> {
  await log.append(requestedEvent(ask))
  const [row] = log.rows.eventsAfter(0, 1)
  return JSON.parse(row?.body ?? '{}').ask as PermissionAsk
}

describe.each([HUNDRED_KB, MORE])('a command of %i times the same harmless part', (times) => {
  it('[T41] [PERM-8.1] its digest covers the very end', () => {
    const { digest } = asked('rm -rf ~', times)
    expect(new Set(['rm -rf ~', 'rm -rf /', 'true'].map((suffix) => asked(suffix, times).digest)).size).toBe(3)
    expect(asked('rm -rf ~', times).digest).toBe(digest)
  })
})

it('[T41] [LOG-6.2] [PERM-7.1] a command of 100 KB goes to the person whole', async () => {
  const ask = asked('rm -rf ~', HUNDRED_KB)
  expect(JSON.stringify(ask).length).toBeGreaterThan(100 * 1_024)
  expect(await logged(ask)).toEqual(ask)
})

it('[PERM-8] [LOG-6.2] [LOG-6.4] of a longer one the log has both ends and the disk has it all', async () => {
  const ask = asked('rm -rf ~', MORE)
  const shown = await logged(ask)
  expect(shown).toMatchObject({ inputCut: true, digest: ask.digest })
  if (!isCutValue(shown.input)) throw new Error('it was not cut')
  expect(shown.input.tail).toMatch(/rm -rf ~"}$/)
  const kept = readFileSync(join(sessionFiles(dir.path).artifacts, shown.input.artifactId ?? ''), 'utf8')
  expect(JSON.parse(kept)).toEqual({ command: command('rm -rf ~', MORE) })
})
