import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { Journal } from '../journal/journal'
import { Grants } from './grants'

const HOUR = 3_600_000
const ask = { sessionScope: { scope: { kind: 'tool', toolName: 'Write' }, label: 'every Write' } } as PermissionAsk

let dir: TempDir
let log: SessionLog
let grants: Grants
/** By the clock of the machine, which somebody may set. */
let now: number
/** By one that nobody sets. */
let elapsed: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  dir = tempDir('grants')
  now = 1_800_000_000_000
  elapsed = 5_000
  log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => now })
  grants = opened()
})
afterEach(() => {
  grants.dispose()
  log.close()
  dir.remove()
  vi.useRealTimers()
})

const opened = () =>
  new Grants(
    new Journal(log, () => now),
    () => now,
    () => elapsed,
  )
const answers = () => grants.covering({ toolName: 'Write', actionDigest: 'other' }) !== undefined

async function granted(): Promise<void> {
  const grant = grants.plan(ask, { commandId: 'c1' }, 'digest', 'g1')
  if (!grant) throw new Error('it can be scoped')
  await new Journal(log, () => now).write(grants.keep(grant))
}

function goes(ms: number): void {
  now += ms
  elapsed += ms
}

describe('[PERM-5] a grant', () => {
  it('[PERM-5.34] answers for eight hours', async () => {
    await granted()
    goes(8 * HOUR - 1)
    expect(answers()).toBe(true)
    goes(1)
    expect(answers()).toBe(false)
  })

  it('[PERM-5.34] [PERM-5.35] ends after eight hours, also where the clock was put back meanwhile', async () => {
    await granted()
    now -= 24 * HOUR
    goes(8 * HOUR)
    expect(answers()).toBe(false)
  })

  it('[PERM-5.34] ends when the clock says so, also where the machine slept and no time went by', async () => {
    await granted()
    now += 8 * HOUR
    expect(answers()).toBe(false)
  })

  it('[PERM-5.35] has no more than eight hours again behind a restart, however far the clock was put back', async () => {
    await granted()
    grants.dispose()
    now -= 24 * HOUR
    grants = opened()
    goes(8 * HOUR)
    expect(answers()).toBe(false)
  })

  it('is told as ended by the alarm that was set when it was given', async () => {
    await granted()
    now -= 24 * HOUR
    goes(8 * HOUR)
    vi.advanceTimersByTime(8 * HOUR)
    log.flush()
    expect(log.rows.grants()).toEqual([])
  })
})
