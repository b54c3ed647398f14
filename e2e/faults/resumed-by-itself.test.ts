/**
 * RES-3 from outside, on the built product: sessions that go on by themselves when a host, its daemon with it, or all of
 * the machine dies; no more programs than the machine allows, and nobody's prompt waits for them.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

const PLACES = 2
const SESSIONS = 6

let rig: Rig
afterEach(() => rig.dispose())

const asking = [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]
const autoResume = { autoResume: true }

const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
const eventsHere = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const count = (sessionId: string, kind: string) => eventsHere(sessionId).filter((event) => event.kind === kind).length
const starts = (sessionId: string) => count(sessionId, 'session_started')
const isResumed = (sessionId: string, times: number) =>
  until(`start ${times} of ${sessionId}`, async () => {
    return starts(sessionId) === times && (await view(sessionId)).status.status === 'idle'
  })

function allowPrograms(runningSessions: number): void {
  const { agent } = rig.system
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  agent.writePolicy({ ...policy, limits: { ...policy.limits, runningSessions } })
}

/** Kill -9 of everything of this machine: its daemon first, so that nobody sees the hosts die. */
async function powerCut(sessions: readonly string[]): Promise<void> {
  await rig.system.agent.kill()
  for (const sessionId of sessions) rig.system.agent.killHost(sessionId)
}

it('[RES-3.4] [RES-3.2] [RES-4] is resumed after the death of its host, of host and daemon, and of the machine, three times in all', async () => {
  rig = await startRig()
  const { agent } = rig.system
  const other = await rig.begin(asking)
  await rig.asked(other)
  const sessionId = await rig.begin(asking, autoResume)
  await rig.asked(sessionId)

  agent.killHost(sessionId)
  const waits = await until('the page to say so', async () => {
    const { status } = await view(sessionId)
    return status.status === 'resumable' && status.resumes ? status : undefined
  })
  expect(waits).toMatchObject({ why: 'host_died', resumes: { attempt: 1 } })
  await isResumed(sessionId, 2)

  await powerCut([sessionId, other])
  await agent.start()
  // Its daemon dies again in the pause.
  await agent.kill()
  await agent.start()
  await isResumed(sessionId, 3)

  agent.killHost(sessionId)
  await agent.kill()
  await agent.start()
  await isResumed(sessionId, 4)

  await powerCut([sessionId])
  await agent.start()
  await until('its end to be told', () => count(sessionId, 'process_exited') === 4)
  const late = await rig.begin(asking, autoResume)
  await rig.asked(late)
  agent.killHost(late)
  await isResumed(late, 2)
  expect([starts(sessionId), starts(other), count(sessionId, 'turn_completed')]).toEqual([4, 1, 1])
  expect((await view(sessionId)).status).not.toHaveProperty('resumes')
  await rig.agree(sessionId)
}, 240_000)

variation(
  `[RES-3.13] [CMD-8] ${SESSIONS} of them after a power cut never start more than ${PLACES} programs, and no prompt waits for them`,
  async () => {
    rig = await startRig()
    const { agent } = rig.system
    await agent.stop()
    allowPrograms(SESSIONS)
    await agent.start()
    const all: string[] = []
    for (let n = 0; n < SESSIONS; n += 1) {
      const sessionId = await rig.begin([{ text: 'Ready.' }], autoResume)
      await until('its turn to end', () => count(sessionId, 'turn_completed') === 1)
      all.push(sessionId)
    }
    await powerCut(all)
    allowPrograms(PLACES)
    let most = 0
    const programs = () => {
      const running = all.filter((sessionId) => agent.hasHost(sessionId) && agent.backendPid(sessionId) !== undefined)
      most = Math.max(most, running.length)
      return running
    }
    await agent.start()
    await until('as many as may to run', () => programs().length === PLACES)
    const resumed = () => all.filter((sessionId) => starts(sessionId) === 2)
    await until('them to be resumed', () => resumed().length === PLACES)
    const waiting = all.filter((sessionId) => !resumed().includes(sessionId))
    for (const sessionId of waiting) {
      const shown = await until('the page to say what it waits for', async () => {
        programs()
        const { status, resumeWaits } = await view(sessionId)
        return status.status === 'resumable' && status.resumes && resumeWaits
      })
      expect(shown).toEqual({ running: PLACES, limit: PLACES })
    }

    const mine = waiting.at(-1) ?? ''
    await rig.prompt(mine, [{ text: 'Mine.' }])
    await until('a prompt to be answered before all who wait', async () => {
      programs()
      return (await view(mine)).lastLine === 'Mine.'
    })
    const stopped = resumed().find((sessionId) => sessionId !== mine && agent.hasHost(sessionId)) ?? ''
    await rig.rest.endProcess(stopped)
    await until('the place to be taken by the next', () => {
      programs()
      return resumed().length === PLACES + 2
    })
    expect(most).toBe(PLACES)
    expect(starts(stopped)).toBe(2)
  },
  300_000,
)

/** In its pause, or behind it: nobody has recorded the death yet, or nobody has begun the attempt. */
async function parked(): Promise<string> {
  const { agent } = rig.system
  const sessionId = await rig.begin(asking, autoResume)
  await rig.asked(sessionId)
  agent.killHost(sessionId)
  await until('its wish to be in the log', () => count(sessionId, 'process_exited') === 1)
  await agent.kill()
  return sessionId
}

/** By then it would have been resumed: another one is, whose pause began later. */
async function isLeftAlone(sessionId: string): Promise<void> {
  const other = await rig.begin(asking, autoResume)
  await rig.asked(other)
  rig.system.agent.killHost(other)
  await isResumed(other, 2)
  expect(starts(sessionId)).toBe(1)
  expect((await view(sessionId)).status).not.toHaveProperty('resumes')
}

variation.each(['away', 'there'] as const)(
  '[RES-3.16] [RES-3.17] `stop --sessions` ends what waits to be resumed, with the daemon %s',
  async (daemon) => {
    rig = await startRig()
    const { agent } = rig.system
    const sessionId = await parked()
    if (daemon === 'there') await agent.start()
    expect((await agent.command(['stop', '--sessions'])).succeeded).toBe(true)
    const before = starts(sessionId)
    if (daemon === 'away') await agent.start()
    // With a daemon the attempt may just have begun: then its program was ended.
    if (before === 1) await isLeftAlone(sessionId)
    expect(processesOf(sessionId).filter(({ command }) => command.includes('scripted-cli'))).toEqual([])
    expect((await view(sessionId)).status).not.toHaveProperty('resumes')
  },
)

variation(
  '[RES-3.16] [JOIN-3] of a machine that was revoked while its daemon was away is not resumed, by no later start either',
  async () => {
    rig = await startRig()
    const { agent } = rig.system
    const sessionId = await parked()
    const [machine] = (await rig.rest.agents()).items
    await rig.rest.revokeAgent(machine?.agentId ?? '')
    const startsSince: number[] = []
    for (let times = 0; times < 2; times += 1) {
      agent.launch()
      await agent.ended()
      await until('its programs to end', () => processesOf(sessionId).length === 0)
      expect(agent.output).toContain('This machine was revoked.')
      startsSince.push(starts(sessionId))
    }
    // The first start may have begun the attempt before it heard of it; its end is no crash.
    const [first = 0, second] = startsSince
    expect(first).toBeLessThanOrEqual(2)
    expect(second).toBe(first)
  },
)
