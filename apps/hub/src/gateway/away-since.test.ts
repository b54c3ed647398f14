import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

const HOUR_MS = 3_600_000

describe('since when a machine is away', () => {
  let now = 1_700_000_000_000
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let folder: string
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'away-'))
    ;({ hub, agent, sessionId } = await liveHub({ now: () => now }))
  })
  afterEach(async () => {
    await hub.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const awaySince = async () => {
    const [listed] = (await hub.core.sessions.list(ana, { limit: 1 })).items
    const { unreachableSince } = (await hub.core.sessions.snapshot(ana, sessionId)).session
    expect(listed?.unreachableSince).toBe(unreachableSince)
    return unreachableSince
  }
  const lastSeen = async () => (await hub.core.agents.get(ana, agent.agentId)).lastSeenAt
  /** On the file as it is at this moment, as a killed process would leave it. */
  const startAgain = async () => {
    const file = path.join(folder, 'hub.db')
    await hub.store.prisma.$executeRawUnsafe(`VACUUM INTO '${file}'`)
    await hub.stop()
    now += HOUR_MS
    hub = await TestHub.start({ file, now: () => now })
  }

  it('[SES-5] one that was connected when the hub ended is away since the hub began again, not since it had connected', async () => {
    now += HOUR_MS
    expect(await awaySince()).toBeUndefined()
    await startAgain()
    expect([await awaySince(), await lastSeen()]).toEqual([now, now])
  })

  it('[SES-5] one that had left before is away since it left', async () => {
    now += HOUR_MS
    await hub.leave(agent)
    const left = now
    await expect.poll(async () => (await hub.store.prisma.agent.findFirst())?.lastSeenAt?.getTime()).toBe(left)
    expect([await awaySince(), await lastSeen()]).toEqual([left, left])
    await startAgain()
    expect([await awaySince(), await lastSeen()]).toEqual([left, left])
  })
})
