/**
 * Who dies x when. One system lives through all of it; each cell is a session with a turn behind it. Afterwards all
 * accounts agree, every turn has an honest end, nothing of the queue is lost, and the conversation goes on.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { SessionEventOf } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf, type Row } from '../support/ledger'
import { type Rig, startRig } from '../support/rig'
import { until } from '../support/until'
import { openViewer, type Viewer } from '../support/viewer'

type Victim = 'tab' | 'hub' | 'daemon' | 'host' | 'program'
type Moment =
  | 'idle'
  | 'streaming'
  | 'a tool runs'
  | 'a prompt is pending'
  | 'a decision is on its way'
  | 'the queue waits'
type End = SessionEventOf<'turn_completed'>['reason']

let rig: Rig
let sessionId: string
let tab: Viewer
let lived: Viewer
/** The file that the session's tool writes once it is allowed. */
let file: string
let cells = 0

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

beforeEach(async () => {
  cells += 1
  file = `cell-${cells}.txt`
  sessionId = await rig.begin([{ text: 'Before.' }])
  lived = await openViewer(rig.system.hub, sessionId)
  tab = await openViewer(rig.system.hub, sessionId)
  await until('the first turn', () => says('Before.'))
  await rig.agree(sessionId)
})
afterEach(async () => {
  lived.close()
  tab.close()
  await rig.rest.stop(sessionId)
})

const log = () => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const of = <K extends ReturnType<typeof log>[number]['kind']>(kind: K) =>
  log().filter((event): event is SessionEventOf<K> => event.kind === kind)
const says = (text: string) => of('assistant_text').some((event) => event.text === text)
const session = async () => (await rig.rest.snapshot(sessionId)).session
const openAsk = () => until('the request', async () => (await session()).requests.find((one) => one.outcome === 'open'))
const decide = async () => {
  const { ask } = await openAsk()
  await rig.rest.decide(ask.requestId, { decision: 'allow', digest: ask.digest })
}

const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')
const streaming = { text: words, chunk: 12, delayMs: 30 }
const asking = [{ tool: 'Write', input: { file_path: '', content: 'written' } }, { text: 'Done.' }]
const askingFor = () =>
  asking.map((step) => ('tool' in step ? { ...step, input: { ...step.input, file_path: file } } : step))

/** Brings the session to this moment. */
const reach: Record<Moment, () => Promise<unknown>> = {
  idle: async () => {},
  streaming: async () => {
    await rig.prompt(sessionId, [streaming])
    await until('some text', () => lived.live().includes('word3'))
  },
  'a tool runs': async () => {
    await rig.prompt(sessionId, [
      { tool: 'Read', input: { file_path: 'x.txt' }, output: 'nothing', tookMs: 1_000 },
      { text: 'Done.' },
    ])
    await until('the call', () => of('tool_use').length > 0)
  },
  'a prompt is pending': async () => {
    await rig.prompt(sessionId, askingFor())
    await openAsk()
  },
  'a decision is on its way': async () => {
    await rig.prompt(sessionId, askingFor())
    await decide()
  },
  'the queue waits': async () => {
    await rig.prompt(sessionId, [streaming])
    await rig.prompt(sessionId, [{ text: 'From the queue.' }])
    await until('the queue', async () => (await session()).queue.length === 1 && lived.live().includes('word1'))
  },
}

const kill: Record<Victim, () => Promise<unknown>> = {
  tab: async () => {
    tab.close()
    tab = await openViewer(rig.system.hub, sessionId)
  },
  hub: async () => {
    await rig.system.hub.kill()
    await rig.system.hub.start()
  },
  daemon: async () => {
    await rig.system.agent.kill()
    await rig.system.agent.start()
  },
  host: async () => {
    expect(rig.system.agent.killHost(sessionId)).toBe(true)
    await until('its end to be recorded', () => of('process_exited').length > 0)
  },
  program: async () => {
    process.kill(rig.system.agent.backendPid(sessionId) ?? 0, 'SIGKILL')
    await until('its end to be recorded', () => of('process_exited').length > 0)
  },
}

/** What was waiting when it happened goes on, by itself or by a person's word. */
const carryOn: Record<Moment, (survived: boolean) => Promise<unknown>> = {
  idle: async () => {},
  streaming: async () => {},
  'a tool runs': async () => {},
  'a prompt is pending': async (survived) => {
    if (survived) await decide()
  },
  'a decision is on its way': async () => {},
  'the queue waits': async (survived) => {
    if (!survived) {
      await until('the queue to be held', async () => {
        const { queue, queueHeld } = await session()
        return queueHeld && queue.length === 1
      })
      await rig.rest.queue(sessionId, { op: 'release' })
    }
    await until('the queued prompt to be played', () => says('From the queue.'))
  },
}

/** How the turn of each moment may end. A decision may come through before the death that was meant to overtake it. */
function endsOf(moment: Moment, survived: boolean): End[][] {
  const end: End = survived ? 'completed' : 'process_exited'
  if (moment === 'idle') return [[]]
  if (moment === 'the queue waits') return [[end, 'completed']]
  return !survived && moment === 'a decision is on its way' ? [[end], ['completed']] : [[end]]
}

async function cell(victim: Victim, moment: Moment): Promise<void> {
  const survived = victim !== 'host' && victim !== 'program'
  await reach[moment]()
  await kill[victim]()
  await carryOn[moment](survived)
  await rig.agree(sessionId)
  await rig.prompt(sessionId, [{ text: 'After.' }])
  await until('the next turn', () => says('After.'))
  const rows = await rig.agree(sessionId)

  const [, ...ends] = of('turn_completed').map(({ reason }) => reason)
  expect(ends.pop()).toBe('completed')
  expect(endsOf(moment, survived)).toContainEqual(ends)
  expect(of('turn_started')).toHaveLength(of('turn_completed').length)
  expect(new Set(of('session_started').map((one) => one.backendSessionId)).size).toBe(1)
  checkRequest(moment, survived)
  await checkViewers(rows)
}

/** Each question has exactly one outcome, and the tool ran only with a yes. */
function checkRequest(moment: Moment, survived: boolean): void {
  const outcomes = of('permission_resolved').map(({ outcome }) => outcome)
  const written = existsSync(path.join(rig.system.workDir, file))
  expect(outcomes).toHaveLength(of('permission_requested').length)
  if (moment === 'a prompt is pending') expect({ outcomes, written }).toEqual(survived ? applied : orphaned)
  if (moment !== 'a decision is on its way') return
  if (survived) expect({ outcomes, written }).toEqual(applied)
  else expect(['applied', 'orphaned', 'outcome_unknown']).toContain(outcomes[0])
  if (outcomes[0] === 'orphaned') expect(written).toBe(false)
}

const applied = { outcomes: ['applied'], written: true }
const orphaned = { outcomes: ['orphaned'], written: false }

async function checkViewers(rows: readonly Row[]): Promise<void> {
  const fresh = await openViewer(rig.system.hub, sessionId)
  const head = rows.at(-1)?.seq ?? 0
  await Promise.all([lived, tab, fresh].map((viewer) => viewer.reaches(head)))
  expect(fresh.shown().map(({ seq, event }) => ({ seq, event }))).toEqual(
    rows.map(({ seq, body }) => ({ seq, event: JSON.parse(body) })),
  )
  expect(lived.shown()).toEqual(fresh.shown())
  expect(tab.shown()).toEqual(fresh.shown())
  fresh.close()
}

const moments = Object.keys(reach) as Moment[]

describe('while a session is in whatever state', () => {
  it.each(moments)('[VIEW-6] a browser tab is closed and opened anew, at the moment: %s', (moment) =>
    cell('tab', moment),
  )
  it.each(moments)('[RES-1] [PERM-3] [VIEW-6] the hub dies, at the moment: %s', (moment) => cell('hub', moment))
  it.each(moments)('[RES-1] [PERM-3] the daemon dies, at the moment: %s', (moment) => cell('daemon', moment))
  it.each(moments)('[RES-6] [LOG-7] [CMD-5] the host dies, at the moment: %s', (moment) => cell('host', moment))
  it.each(moments)('[RES-2] [LOG-7] [CMD-5] the program dies, at the moment: %s', (moment) => cell('program', moment))
})
