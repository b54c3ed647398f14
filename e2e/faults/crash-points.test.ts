/** Each process dies by itself at the one moment where it hurts most, and nothing is lost, doubled or done twice. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FailpointName } from '@roundhouse/failpoint'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig

/** The other pass of each point is played in long runs. */
const passes = (first: number, second: number) => (wholeMatrix ? [first, second] : [second])

/** Long enough that a slow hub, which takes more at once, has as many groups all the same. */
const counting = [{ count: { to: 250, delayMs: 10 } }]

/** A system in which each of these kills its process once, at the given pass. A process that died counts from one again. */
async function withDeathAt(points: Partial<Record<FailpointName, number>>) {
  const folder = freshFolder('mark')
  const markOf = (name: string) => path.join(folder, name)
  const all = Object.entries(points).map(([name, at]) => [name, { do: 'kill', at, mark: markOf(name) }] as const)
  const isOfHub = Object.keys(points).every((name) => name.startsWith('hub'))
  rig = await startRig({ [isOfHub ? 'hubFailpoints' : 'agentFailpoints']: Object.fromEntries(all) })
  return (name: FailpointName) => until(`${name} to kill`, () => existsSync(markOf(name)))
}

async function startHubAgain(): Promise<void> {
  await rig.system.hub.kill()
  await rig.system.hub.start()
}

describe('the hub dies', () => {
  afterEach(() => rig.dispose())

  it.each(passes(4, 11))(
    '[F1] [F2] [T20] [F26] before and after the commit of group %i, and with a decision not sent: all of it comes again and is stored once',
    async (at) => {
      const fired = await withDeathAt({
        'hub.afterInsert': at,
        'hub.afterCommit.beforeAck': at,
        'hub.command.beforeSend': 2,
      })
      const sessionId = await rig.begin(counting)
      await fired('hub.afterInsert')
      await startHubAgain()
      await rig.prompt(sessionId, counting)
      await fired('hub.afterCommit.beforeAck')
      await startHubAgain()
      await rig.agree(sessionId)

      // A decision on disk and not sent is delivered afterwards, and applied once.
      const asking = await rig.begin([writing('once.txt'), { text: 'Done.' }])
      const { requestId, digest } = await rig.asked(asking)
      await rig.rest.decide(requestId, { decision: 'allow', digest })
      await fired('hub.command.beforeSend')
      await startHubAgain()
      await rig.agree(asking)
      expect(outcomesOf(asking)).toEqual(['applied'])
      expect(readFileSync(path.join(rig.system.workDir, 'once.txt'), 'utf8')).toBe('written')
    },
  )
})

describe('the daemon dies', () => {
  afterEach(() => rig.dispose())

  it('[F3] [T20] with events on disk and not sent, then with an ack in hand and not on disk: they arrive after its next start, once', async () => {
    const fired = await withDeathAt({ 'agent.afterAppend.beforeSend': 5, 'agent.afterAck.beforePersist': 5 })
    const sessionId = await rig.begin(counting)
    await fired('agent.afterAppend.beforeSend')
    await rig.prompt(sessionId, counting)
    rig.system.agent.launch()
    await fired('agent.afterAck.beforePersist')
    await rig.system.agent.start()
    await rig.agree(sessionId)
  })
})

const untilDecision = (['agent.decision.afterApply.beforePersist', 'agent.decision.beforeApply'] as const).slice(
  0,
  wholeMatrix ? 2 : 1,
)

describe.each(passes(1, 12))('in the session', (at) => {
  let fired: Awaited<ReturnType<typeof withDeathAt>>
  beforeAll(async () => {
    const ofDecision = Object.fromEntries(untilDecision.map((name) => [name, 1]))
    fired = await withDeathAt({ ...ofDecision, 'scripted.afterRecord.beforePrint': at })
  })
  afterAll(() => rig.dispose())

  it(`[F4] [F5] [RES-2] the program dies with block ${at} in its own record and not printed: the log has it all the same, marked recovered`, async () => {
    const sessionId = await rig.begin(counting)
    await fired('scripted.afterRecord.beforePrint')
    const events = eventsOf(await rig.agree(sessionId))
    expect(events.filter((event) => 'recovered' in event && event.recovered)).toHaveLength(1)
    expect(events.slice(-2).map(({ kind }) => kind)).toEqual(['process_exited', 'turn_completed'])
    await rig.prompt(sessionId, [{ text: 'On we go.' }])
    await rig.agree(sessionId)
  })

  it.each(untilDecision)(
    '[F27] [CMD-3.1] the host dies at %s: the outcome is unknown, and it is never applied again',
    async (name) => {
      const sessionId = await rig.begin([writing('maybe.txt'), { text: 'Done.' }])
      const { requestId, digest } = await rig.asked(sessionId)
      await rig.rest.decide(requestId, { decision: 'allow', digest })
      await fired(name)
      await rig.agree(sessionId)
      expect(outcomesOf(sessionId)).toEqual(['outcome_unknown'])
      await rig.prompt(sessionId, [{ text: 'On we go.' }])
      await rig.agree(sessionId)
      expect(outcomesOf(sessionId)).toEqual(['outcome_unknown'])
    },
  )
})

describe('the host dies', () => {
  afterEach(() => rig.dispose())

  it.each(passes(3, 20))(
    '[F4] [T20] inside its append, at commit %i: the program ends, its transcript fills the log, the turn has an end',
    async (at) => {
      const fired = await withDeathAt({ 'agent.append': at })
      const sessionId = await rig.begin(counting)
      await fired('agent.append')
      await rig.agree(sessionId)
      await rig.prompt(sessionId, [{ text: 'On we go.' }])
      const rows = await rig.agree(sessionId)
      expect(eventsOf(rows).filter(({ kind }) => kind === 'turn_completed')).toHaveLength(
        eventsOf(rows).filter(({ kind }) => kind === 'turn_started').length,
      )
    },
  )
})

const writing = (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'written' } })

function outcomesOf(sessionId: string): string[] {
  return eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'permission_resolved' ? [event.outcome] : [],
  )
}
