import { LATEST_MILLIS, type PermissionDecision, type SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import type { HostPolicy } from '../host-contract/launch-spec'
import { SessionLog } from '../log/session-log'
import { createRedactor } from '../redact/redactor'
import { brokerIn } from '../testing/broker'
import { Journal } from './journal/journal'
import type { DecideCommand } from './permissions/decision-refuser'
import type { PermissionBroker } from './permissions/permission-broker'

const HOUR = 3_600_000
const ana = { userId: 'u', name: 'Ana' }

let dir: TempDir
let log: SessionLog
let now: number
let broker: PermissionBroker
let told: PermissionDecision[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  dir = tempDir('asleep')
  now = 1_800_000_000_000
  told = []
  log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => now })
})
afterEach(() => {
  broker.dispose()
  log.close()
  dir.remove()
  vi.useRealTimers()
})

/** A question that waits, under a policy that gives questions this much time. */
async function waiting(askLifeMs?: number): Promise<DecideCommand> {
  const policy: HostPolicy = {
    roots: [dir.path],
    maxSandbox: 'workspace-write',
    allowBypassPermissions: false,
    ...(askLifeMs === undefined ? {} : { askLifeMs }),
  }
  const journal = new Journal(log, () => now)
  broker = brokerIn({
    folder: dir.path,
    journal,
    now: () => now,
    policy: () => policy,
    respond: async (decision) => void told.push(decision),
  })
  broker.ask('p1', { callId: 'k1', toolName: 'Write', input: { file_path: 'a' } })
  await journal.write({})
  const [ask] = broker.requests()
  if (!ask) throw new Error('it was asked')
  const { requestId, procId, digest } = ask
  return { kind: 'permission.decide', requestId, procId, digest, decision: 'allow' }
}

/** The machine is suspended: its clock goes on, its timers do not. */
function sleep(ms: number): void {
  now += ms
}

function outcomes(): string[] {
  log.flush()
  const events = log.rows.eventsAfter(0, 100).map(({ body }) => JSON.parse(body) as SessionEvent)
  return events.flatMap((event) => (event.kind === 'permission_resolved' ? [event.outcome] : []))
}

const unanswered = [{ callId: 'k1', decision: 'deny', unanswered: true }]

describe('a machine that slept for 8 hours with a request that had one', () => {
  it('[T34] [PERM-4.3] takes no answer to it any more, although its timer has not rung', async () => {
    const decision = await waiting(HOUR)
    sleep(8 * HOUR)
    expect(await broker.decide(decision, 'c1', ana)).toMatchObject({
      state: 'refused',
      error: { code: 'REQUEST_GONE' },
    })
    expect({ told, outcomes: outcomes() }).toEqual({ told: unanswered, outcomes: ['expired'] })
  })

  it('[T34] [PERM-4.3] finds within half a minute that it has expired, and says so', async () => {
    await waiting(HOUR)
    sleep(8 * HOUR)
    vi.advanceTimersByTime(30_000)
    expect({ told, outcomes: outcomes(), open: broker.requests() }).toEqual({
      told: unanswered,
      outcomes: ['expired'],
      open: [],
    })
  })

  it('[T34] a request without a limit waits on, and its answer counts', async () => {
    const decision = await waiting()
    sleep(8 * HOUR)
    vi.advanceTimersByTime(HOUR)
    expect(await broker.decide(decision, 'c1', ana)).toEqual({ state: 'done' })
    expect({ told, outcomes: outcomes() }).toMatchObject({ told: [{ decision: 'allow' }], outcomes: ['applied'] })
  })

  it('[PERM-6] a request with a limit beyond the end of time is asked all the same', async () => {
    await waiting(10 ** 15)
    expect(broker.requests()).toMatchObject([{ callId: 'k1', expiresAt: LATEST_MILLIS }])
    expect(told).toEqual([])
  })

  it('a request with a limit of many years does not ring all the time', async () => {
    await waiting(2 ** 40)
    vi.advanceTimersByTime(10 * HOUR)
    expect({ outcomes: outcomes(), open: broker.requests() }).toMatchObject({ outcomes: [], open: [{ callId: 'k1' }] })
  })
})
