/**
 * A machine that has had very many sessions: only those that work have a process, and what rests costs hardly anything.
 * ROUNDHOUSE_SESSIONS chooses how many (500 for the figure in docs/reliability.md).
 */
import { afterEach, expect } from 'vitest'
import { logOf, progressOf, tableOf, unackedOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { residentMib } from '../support/processes/process-cost'
import { copySession } from '../support/rigs/copied-session'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { FrameProxy } from '../support/wire/frame-proxy'

const SESSIONS = Number(process.env.ROUNDHOUSE_SESSIONS ?? (wholeMatrix ? 60 : 30))

let rig: Rig<FrameProxy>
afterEach(() => rig.dispose())

variation(
  `[I9] [LINK-2] [SES-6] [STORE-3] ${SESSIONS} sessions on one machine: a process for those that work, none for those that rest`,
  async () => {
    rig = await startRig({ front: FrameProxy.start, idleMs: 1_000 })
    const { agent } = rig.system
    const first = await rig.begin([{ count: { to: 20 } }])
    await rig.agree(first)
    await until('its host to leave', () => agent.hostPid(first) === undefined)
    await agent.stop()
    const copies = Array.from({ length: SESSIONS }, (_, n) => copySession(agent, first, n + 1))

    const fresh = await startMeasured()
    await until('the hub to have all of them', () => copies.every(isAtHub), 120_000)
    await until('the agent to know that', () => unackedOf(agent.home) === 0)
    const resting = { ...fresh, MiB: residentMib(agent.pid) }
    expect(hosts()).toEqual([])
    expect(fresh.pages).toEqual(pagesOf(SESSIONS))

    // All of it is known by now, so that the next start has nothing to tell.
    await agent.stop()
    const again = await startMeasured()
    expect(again.pages.reduce((sum, page) => sum + page, 0)).toBeLessThan(10)
    expect(hosts()).toEqual([])

    const woken = [copies[0], copies.at(-1)] as string[]
    for (const sessionId of woken)
      await rig.prompt(sessionId, [{ tool: 'Read', input: {}, tookMs: 500 }, { text: 'Awake.' }])
    const seen = new Set<string>()
    await until('both to have answered', async () => {
      for (const sessionId of hosts()) seen.add(sessionId)
      const lines = await Promise.all(woken.map(async (id) => (await rig.rest.snapshot(id, 1)).session.lastLine))
      return lines.every((line) => line === 'Awake.')
    })
    expect([...seen].sort()).toEqual([...woken].sort())
    const MiB = residentMib(agent.pid)
    console.log(`${SESSIONS} sessions: ${JSON.stringify({ resting, again: { ...again, MiB } })}`)
    expect(Math.max(resting.MiB, MiB)).toBeLessThan(200)
    await until('their hosts to leave', () => hosts().length === 0)
    for (const sessionId of woken) {
      await until('the hub to have their logs', () => isAtHub(sessionId))
      expect(tableOf(rig.system.hub.dataDir, sessionId)).toEqual(logOf(agent.sessionFolder(sessionId)))
    }
  },
)

const hosts = () => rig.system.agent.sessionIds().filter((sessionId) => rig.system.agent.hostPid(sessionId))

function isAtHub(sessionId: string): boolean {
  const { hub, agent } = rig.system
  return tableOf(hub.dataDir, sessionId).at(-1)?.seq === progressOf(agent.sessionFolder(sessionId)).head
}

/** Until it has told the hub of all its sessions: how long that took, and what it told, page by page. */
async function startMeasured() {
  const pages: number[] = []
  let bytes = 0
  rig.front.judge((direction, text) => {
    if (direction === 'in' && text.includes('["sessions",')) {
      pages.push(text.split('"sessionId"').length - 1)
      bytes += text.length
    }
    return null
  })
  const begun = performance.now()
  await rig.system.agent.start(['--idle-ms', '1000'])
  return { ms: Math.round(performance.now() - begun), pages: [...pages], bytes }
}

/** At most 200 to a page; the session that was copied is one of them, if it changed. */
function pagesOf(sessions: number): unknown {
  const full = Array.from({ length: Math.floor(sessions / 200) }, () => 200)
  return [...full, expect.any(Number)]
}
