/**
 * Part of what a machine says has not arrived yet, or what it is told has not. The hub tells no end too early, tells the one that it
 * knows whatever comes later, and asks a machine that can not take an answer again after a pause.
 */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { RunView } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { turnedClock } from '../support/processes/turned-clock'
import { type Rig, startRig } from '../support/rigs/rig'
import { type RunsOfRig, runsOf } from '../support/rigs/runs-of-rig'
import { FrameProxy } from '../support/wire/frame-proxy'
import type { RunCaller } from '../support/wire/run-caller'

/** More than the pause before a denial is made again. */
const LATER_MS = 20_000
/** A page shows so many commands of a session. */
const SHOWN = 50

const world = turnedClock()
/** While it is there, the disk of the machine takes nothing. */
const full = path.join(freshFolder('held-back'), 'full')
let rig: Rig<FrameProxy>
let caller: RunCaller
let agentId: string
let request: RunsOfRig['request']

beforeAll(async () => {
  rig = await startRig({
    front: FrameProxy.start,
    hubEnv: world.env,
    agentFailpoints: { 'agent.append': { do: 'full', while: full } },
  })
  ;({ caller, agentId, request } = await runsOf(rig))
})
afterEach(() => rig.front.judge(() => null))
afterAll(async () => {
  await rig.dispose()
  rmSync(path.dirname(full), { recursive: true })
})

const logged = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session

/** Frames that match vanish. Resolves to whether one that matches `watched` has come. */
function loses(direction: 'in' | 'out', lost: RegExp, watched = lost): () => boolean {
  let seen = false
  rig.front.judge((of, text) => {
    if (of !== direction) return null
    seen ||= watched.test(text)
    return lost.test(text) ? { times: 0 } : null
  })
  return () => seen
}

/** The machine has answered the hub several times since. */
async function afterAWhile(): Promise<void> {
  for (let n = 0; n < 5; n++) await rig.rest.folders(agentId)
}

it('[CMD-5.29] a session whose creation the machine refused is ended, whatever else was refused, and nobody dismisses that', async () => {
  const isOnItsWay = loses('out', /\["command",.*"workDir":"\/held-back"/)
  const settings = { backend: 'scripted', workDir: '/held-back' } as const
  const { sessionId, commandId } = await rig.rest.createSession({ agentId, settings, prompt: 'Go.' })
  const prompt = (n: number) => rig.rest.prompt(sessionId, { promptId: `more-${n}`, text: 'And then?' })
  await Promise.all(Array.from({ length: SHOWN + 5 }, (_, n) => prompt(n)))
  await until('the machine to be asked', isOnItsWay)
  rig.front.judge(() => null)
  rig.front.reset()
  await until('all to be refused', async () =>
    (await view(sessionId)).commands.every(({ state }) => state === 'refused'),
  )
  const ended = { status: 'ended', why: 'failed', error: { code: 'PATH_NOT_ALLOWED' } }
  const { status, commands } = await view(sessionId)
  expect(status).toMatchObject(ended)
  expect(commands).toHaveLength(SHOWN + 1)
  await expect(rig.rest.dismissCommand(sessionId, commandId)).rejects.toMatchObject({ code: 'SESSION_ENDED' })
  const last = commands.at(-1)?.commandId ?? ''
  await rig.rest.dismissCommand(sessionId, last)
  const after = await view(sessionId)
  expect(after.status).toMatchObject(ended)
  const shown = after.commands.map((command) => command.commandId)
  expect([shown.includes(commandId), shown.includes(last)]).toEqual([true, false])
  const { items } = await rig.rest.sessions({ limit: 20 })
  expect(items.find((one) => one.sessionId === sessionId)?.status).toMatchObject({ status: 'ended' })
})

it('[LINK-5.27] [RUN-2.1] [RUN-1.5] a run that has ended on its machine is over once its log is stored to the end, also where the hub is killed meanwhile', async () => {
  const lines = Array.from({ length: 30 }, (_, n) => `late ${n + 1}`)
  const body = request([{ count: { to: lines.length, delayMs: 10, prefix: 'late' } }, { hang: true }])
  const key = caller.newKey()
  /** Every whole answer that the caller got. */
  const answers: string[] = []
  const asks = async () => {
    const response = await caller.send('POST', '/runs', body, { 'idempotency-key': key })
    const runId = response.headers.get('location')?.split('/').at(-1) ?? ''
    return { runId, answered: response.text().then((text) => answers.push(text)) }
  }
  const hasToldItsEnd = loses('in', /\["events",.*late \d/, /\["state",.*"status":"ended"/)
  const first = await asks()
  const { runId } = first
  first.answered.catch(() => {})
  await until('its machine to have all of it', () =>
    logged(runId).some((event) => event.kind === 'assistant_text' && event.text === lines.at(-1)),
  )
  await caller.send('POST', `/runs/${runId}/stop`, {})
  await until('its machine to say that it has ended', hasToldItsEnd)
  await afterAWhile()
  const meanwhile = await caller.get(runId)
  expect([meanwhile.result, answers]).toEqual([undefined, []])
  expect(meanwhile.status.status).not.toBe('ended')

  const { hub } = rig.system
  await hub.kill()
  rig.front.judge(() => null)
  await hub.start()
  const second = await asks()
  await second.answered
  const { result, ...whole } = RunView.parse(JSON.parse(answers[0] ?? ''))
  expect(whole.runId).toBe(runId)
  expect(result?.run).toMatchObject({ text: lines.join('\n\n'), aborted: true, errorSubtype: 'stopped' })
})

it('[RUN-5.4] a denial that the full disk of a machine did not take is made again after a pause, and not before', async () => {
  loses('in', /Which one/)
  const question = { question: 'Which one?', header: 'Which', options: [{ label: 'A' }, { label: 'B' }] }
  const asking = [{ tool: 'AskUserQuestion', input: { questions: [question] } }, { text: 'Done.' }]
  const runId = await caller.start(request(asking, { onPermission: 'deny' }))
  const { ask } = await until('its machine to ask', () =>
    logged(runId).find((event) => event.kind === 'permission_requested'),
  )
  writeFileSync(full, '')
  rig.front.judge(() => null)
  rig.front.reset()
  const audited = async () =>
    (await rig.rest.audit({ limit: 100 })).items
      .filter(({ object }) => object === ask.requestId)
      .map(({ action }) => action.replace('permission.', ''))
      .reverse()
  await until('the denial to be lost', async () => (await audited()).includes('decision_lost'))
  await afterAWhile()
  expect(await audited()).toEqual(['decide', 'decision_lost'])

  rmSync(full)
  world.pass(LATER_MS)
  expect((await caller.rest(runId, undefined)).at(-1)).toMatchObject({ type: 'done' })
  const { result } = await caller.get(runId)
  expect(result?.run).toMatchObject({ text: 'Done.', permissionDenials: [{ tool: 'AskUserQuestion' }] })
  expect(await audited()).toEqual(['decide', 'decision_lost', 'decide'])
})
