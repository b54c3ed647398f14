/**
 * A machine comes back to hundreds of prompts that waited for it, while another machine is at work. The hub hands them over
 * a few at a time, each is accepted, and no more processes live than have a place. `npm run matrix` plays the crowd.
 * ROUNDHOUSE_SESSIONS chooses how many wait (1,000 for the figures in docs/performance.md).
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf, tableOf } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { copySession } from '../support/rigs/copied-session'
import { type Beside, Gauge } from '../support/rigs/gauge'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { FrameProxy } from '../support/wire/frame-proxy'

const SESSIONS = Number(process.env.ROUNDHOUSE_SESSIONS ?? 30)
const PATIENCE_MS = Number(process.env.ROUNDHOUSE_PATIENCE_MS ?? 90_000 + SESSIONS * 4_000)
const PLACES = 2

let rig: Rig
/** That returns. */
let machine: string
let neighbour: AgentProcess | undefined
afterEach(async () => {
  await neighbour?.stop()
  await rig.dispose()
})

const title = `[CMD-7] [FLOW-3] [LINK-5] ${SESSIONS} prompts that waited for a machine are accepted, and its neighbour goes on`

describe.skipIf(process.platform !== 'linux')('a machine that returns', () => {
  variation(title, { timeout: 4 * PATIENCE_MS }, async () => {
    const proxied = await startRig({ front: FrameProxy.start, idleMs: 1_000 })
    rig = proxied
    const { agent } = rig.system
    machine = (await rig.rest.agents()).items[0]?.agentId ?? ''
    const resting = await manySessions()
    const beside = await startNeighbour()
    await agent.stop()
    await leaveWork(resting)

    const wire = watchCommands(proxied.front)
    const gauge = new Gauge(rig, beside)
    const begun = performance.now()
    await agent.start()
    await gauge.during(() =>
      until('each command to be accepted', () => waiting() === 0, PATIENCE_MS).catch((error: Error) => error),
    )
    const seconds = Math.round((performance.now() - begun) / 1_000)
    const figures = gauge.figures()
    console.log(JSON.stringify({ commands: ofMachine().length, seconds, ...wire, ...figures }))

    expect(ofMachine().filter((state) => !['accepted', 'done'].includes(state))).toEqual([])
    expect(wire.onTheWay).toBeLessThanOrEqual(32)
    // Those with a place, those that are just taking a command in, and a few that are leaving.
    expect(figures.hosts).toBeLessThanOrEqual(PLACES + 14)
    // The neighbour's questions were seen and answered meanwhile. How soon is printed: the machine that tests may be slow.
    expect(figures.questions).toBeGreaterThan(1)
  })

  it('[CMD-8.2] [CMD-8.3] [LOG-7] what was accepted and waits has no process, survives the daemon, and has its turn', async () => {
    const proxied = await startRig({ front: FrameProxy.start })
    rig = proxied
    const { agent, hub } = rig.system
    let lookedAt = ''
    proxied.front.judge((direction, text) => {
      if (direction === 'out' && text.includes('["attention"')) lookedAt = text
      return null
    })
    await agent.stop()
    setPlaces(1)
    await agent.start()
    const asking = [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]
    const sessions = [await rig.begin(asking)]
    const first = await rig.asked(sessions[0] ?? '')
    for (let n = 0; n < 4; n += 1) sessions.push(await rig.begin(asking))
    const queue = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session.queue
    for (const sessionId of sessions.slice(1)) {
      await until('the page to say why its prompt waits', async () => (await queue(sessionId))[0]?.waits?.limit === 1)
      await until('its host to leave', () => !agent.hasHost(sessionId))
    }
    await agent.kill()
    await agent.start()
    expect(sessions.filter((sessionId) => agent.hasHost(sessionId))).toEqual([sessions[0]])

    // One is taken out of its queue, another is deleted: neither is begun, nor stands in the way of the rest.
    const [gone, deleted] = [sessions.pop() ?? '', sessions.pop() ?? '']
    const entry = await until('the page to show it', async () => (await queue(gone))[0])
    await rig.rest.queue(gone, { op: 'remove', promptId: entry.promptId, rev: entry.rev })
    await rig.rest.deleteSession(deleted)
    // The one place goes to the session that somebody looks at, although another waits for longer.
    const [, , looked = ''] = sessions
    const viewer = await openViewer(hub, looked)
    await until('the machine to hear of it', () => lookedAt.includes(looked))
    await rig.allow(first)
    await rig.allow(await rig.asked(looked))
    viewer.close()
    await rig.allow(await rig.asked(sessions[1] ?? ''))
    for (const sessionId of sessions) {
      const rows = await rig.agree(sessionId)
      expect(eventsOf(rows).filter(({ kind }) => kind === 'turn_completed')).toHaveLength(1)
    }
    expect(eventsOf(logOf(agent.sessionFolder(gone))).map(({ kind }) => kind)).toEqual(['session_created'])
    expect(agent.sessionIds()).not.toContain(deleted)
  })
})

/** Copies of one session at rest, which the hub knows. */
async function manySessions(): Promise<string[]> {
  const { agent, hub } = rig.system
  const first = await rig.begin([{ text: 'Ready.' }])
  await rig.agree(first)
  await until('its host to leave', () => agent.hostPid(first) === undefined)
  await agent.stop()
  setPlaces(PLACES)
  const copies = Array.from({ length: SESSIONS }, (_, n) => copySession(agent, first, n + 1))
  await agent.start()
  await until(
    'the hub to have all of them',
    () => copies.every((id) => tableOf(hub.dataDir, id).length > 3),
    PATIENCE_MS,
  )
  return copies
}

/** Prompts for sessions at rest, new sessions with a prompt, and new ones without. The first keep their places until a person answers. */
async function leaveWork(resting: readonly string[]): Promise<void> {
  const { workDir } = rig.system
  const steps = [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]
  for (const sessionId of resting) await rig.prompt(sessionId, steps)
  const create = { agentId: machine, settings: { backend: 'scripted' as const, workDir } }
  for (let n = 0; n < SESSIONS / 8; n += 1) {
    await rig.rest.createSession({ ...create, prompt: scriptOf(steps) })
    await rig.rest.createSession(create)
  }
}

function setPlaces(runningSessions: number): void {
  const { agent } = rig.system
  const policy = policyOf(agent)
  agent.writePolicy({ ...policy, limits: { ...policy.limits, runningSessions } })
}

const policyOf = (agent: AgentProcess) => JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))

async function startNeighbour(): Promise<Beside> {
  const { hub, workDir } = rig.system
  const agent = new AgentProcess(freshFolder('neighbour'), {})
  neighbour = agent
  agent.writePolicy(policyOf(rig.system.agent))
  const made = await rig.rest.makeEnrollmentToken({ name: 'neighbour' })
  await agent.join(hub, 'neighbour', { token: made.token, fingerprint: made.hubKeyFingerprint, url: made.hubUrl })
  await agent.start()
  const agentId = (await rig.rest.agents()).items.find((one) => one.agentId !== machine)?.agentId ?? ''
  const begin = async (steps: readonly object[]) => {
    const settings = { backend: 'scripted' as const, workDir }
    const { sessionId } = await rig.rest.createSession({ agentId, settings, prompt: scriptOf(steps) })
    await until('the session to have begun', async () => (await rig.rest.snapshot(sessionId, 1)).head > 3)
    return sessionId
  }
  const streaming = await begin([{ count: { to: 100_000, delayMs: 100 } }])
  return { agent, streaming, asking: await begin([{ text: 'Ready.' }]) }
}

/** The states of all commands for the machine that returns, as the hub's file has them. */
function ofMachine(): string[] {
  const db = new Database(path.join(rig.system.hub.dataDir, 'hub.db'), { readonly: true, timeout: 5_000 })
  try {
    return db.prepare('SELECT state FROM Command WHERE agentId = ?').pluck().all(machine) as string[]
  } finally {
    db.close()
  }
}

const waiting = () => ofMachine().filter((state) => state === 'pending' || state === 'sent').length

/** Commands that the machine has not answered, at most at once. The hub sends one that waits for long again: it counts once. */
function watchCommands(front: FrameProxy) {
  const seen = { onTheWay: 0, commandFrames: 0, waitsBytes: 0 }
  const open = new Map<string, string>()
  front.judge((direction, text) => {
    const [, id, verb] = /^42\/agent,(\d*)\["([\w.]+)"/.exec(text) ?? []
    if (direction === 'out' && id && verb === 'command') {
      open.set(id, /"commandId":"([^"]+)"/.exec(text)?.[1] ?? id)
      seen.commandFrames += 1
      seen.onTheWay = Math.max(seen.onTheWay, new Set(open.values()).size)
    }
    if (direction === 'in' && verb === 'waits') seen.waitsBytes += text.length
    const answer = direction === 'in' ? /^43\/agent,(\d+)\[/.exec(text) : null
    if (answer?.[1]) open.delete(answer[1])
    return null
  })
  return seen
}
