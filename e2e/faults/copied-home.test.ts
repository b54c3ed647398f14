/**
 * A copy of an agent's home on the same machine, as a backup or a test setup makes one: whatever is done in the copy, the
 * sessions of the original go on, and what they do is done once.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { isRunning, processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

let rig: Rig
let copyHome: string
let copy: AgentProcess
beforeEach(async () => {
  rig = await startRig()
  copyHome = path.join(freshFolder('copy'), 'home')
})
afterEach(async () => {
  await copy.kill()
  await rig.dispose()
  rmSync(path.dirname(copyHome), { recursive: true, force: true })
})

const asking = [{ text: 'First.' }, { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]

/** cp -a of the whole home, while everything in it runs. */
function makeCopy(): void {
  execFileSync('cp', ['-a', rig.system.agent.home, copyHome])
  copy = new AgentProcess(copyHome, rig.system.around.env)
}
const eventsIn = (home: AgentProcess, sessionId: string) => eventsOf(logOf(home.sessionFolder(sessionId)))
const count = (home: AgentProcess, sessionId: string, kind: string) =>
  eventsIn(home, sessionId).filter((event) => event.kind === kind).length

/** The question that was open before is answered, and its turn ends, once. */
async function goesOn(sessionId: string): Promise<void> {
  await rig.allow(await rig.asked(sessionId))
  await until('the turn to end', () => count(rig.system.agent, sessionId, 'turn_completed') === 1)
  const rows = eventsOf(await rig.agree(sessionId))
  expect(rows.filter(({ kind }) => kind === 'process_exited')).toEqual([])
  expect(rows.filter(({ kind }) => kind === 'turn_completed')).toMatchObject([{ reason: 'completed' }])
}

/** A question is open, and the programs of its session are these. */
async function asksInOriginal() {
  const sessionId = await rig.begin(asking, { autoResume: true })
  await rig.asked(sessionId)
  const programs = processesOf(sessionId)
  expect(programs.length).toBeGreaterThan(1)
  return { sessionId, all: () => programs.filter(isRunning).length === programs.length }
}

describe('a copy of a home whose agent runs', () => {
  it('[STORE-5.10] starts no second agent of that machine, and says which one runs; its session goes on', async () => {
    const { sessionId, all } = await asksInOriginal()
    makeCopy()
    copy.launch()
    await copy.ended()
    expect(copy.output).toMatch(
      new RegExp(
        `is a copy of a state folder in which process ${rig.system.agent.pid} already runs.*ALREADY_RUNNING`,
        's',
      ),
    )
    const stopped = await copy.command(['stop', '--sessions'])
    expect(stopped.output).toContain('1 session runs in another state folder and was left alone')
    expect(all()).toBe(true)
    await goesOn(sessionId)
  })
})

describe('a copy of a home whose hosts run on without an agent', () => {
  it('[STORE-5] [RES-6.21] leaves them alone and says so; the agent of the original takes them over afterwards', async () => {
    const { agent } = rig.system
    const { sessionId, all } = await asksInOriginal()
    const host = agent.hostPid(sessionId)
    await agent.kill()
    makeCopy()
    copy.launch()
    await until('the copy to say so', () => copy.output.includes(`runs in ${agent.sessionFolder(sessionId)}`))
    expect(copy.output).toContain(`process ${host}`)
    await copy.connected()
    expect(copy.running).toBe(true)
    // Nothing that is asked of the copy reaches them.
    await rig.rest.endProcess(sessionId).catch(() => {})
    await copy.kill()
    await copy.command(['stop', '--sessions'])
    expect([all(), agent.hostPid(sessionId)]).toEqual([true, host])
    expect(count(copy, sessionId, 'process_exited')).toBe(0)
    const [machine] = (await rig.rest.agents()).items
    agent.launch()
    await until('the hub to ask a person', async () => (await rig.rest.agents()).items[0]?.clonedAt)
    await rig.rest.acceptRestoredAgent(machine?.agentId ?? '')
    await agent.connected()
    expect(agent.hostPid(sessionId)).toBe(host)
  })

  it('[STORE-5] [RES-6.19] takes one that answers nobody for no orphan, and none of its programs', async () => {
    const { agent } = rig.system
    const { sessionId, all } = await asksInOriginal()
    const host = agent.hostPid(sessionId) ?? 0
    await agent.kill()
    makeCopy()
    process.kill(host, 'SIGSTOP')
    copy.launch()
    await until('the copy to say so', () => copy.output.includes(`runs in ${agent.sessionFolder(sessionId)}`))
    const stopped = await copy.command(['stop', '--sessions'])
    expect(stopped.output).toContain('1 session runs in another state folder and was left alone')
    process.kill(host, 'SIGCONT')
    expect(all()).toBe(true)
    await copy.kill()
  })
})

describe('a copy of a home in which something waits to go on by itself', () => {
  it('[RES-3] [STORE-5.13] begins none of it before a hub has let it in, and the original does it once', async () => {
    const { agent, hub } = rig.system
    const { sessionId } = await asksInOriginal()
    await agent.kill()
    agent.killHost(sessionId)
    await until('its programs to end', () => processesOf(sessionId).length === 0)
    await hub.stop()
    makeCopy()
    copy.launch()
    await until('the copy to have closed it', () => count(copy, sessionId, 'process_exited') === 1)
    agent.launch()
    await until('the original to resume it', () => count(agent, sessionId, 'session_started') === 2)
    expect(count(copy, sessionId, 'session_started')).toBe(1)
    await copy.kill()
    await hub.start()
    await agent.connected()
    await rig.agree(sessionId)
  })
})

describe('a copy of a home that starts before the original', () => {
  variation(
    '[JOIN-4] is let in as the machine, until the original comes too: both then wait for a person, and neither does the work twice',
    async () => {
      const { agent } = rig.system
      const { sessionId } = await asksInOriginal()
      await agent.stop()
      makeCopy()
      copy.launch()
      await copy.connected()
      agent.launch()
      const told = 'A copy of this machine, or a restored disk, has connected'
      await until('both to be told', () => agent.output.includes(told) && copy.output.includes(told))
      expect((await rig.rest.agents()).items[0]).toMatchObject({ online: false, clonedAt: expect.any(Number) })
      expect(processesOf(sessionId)).toEqual([])
      for (const home of [agent, copy]) expect(count(home, sessionId, 'session_started')).toBe(1)
    },
  )
})
