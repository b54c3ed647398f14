/** Each process dies by itself at the one moment where it hurts most, and nothing is lost, doubled or done twice. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FailpointName } from '@roundhouse/failpoint'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig
afterEach(() => rig.dispose())

/** The other pass of each point is played in long runs. */
const passes = (first: number, second: number) => (wholeMatrix ? [first, second] : [second])

/** Long enough that a slow hub, which takes more at once, has as many groups all the same. */
const counting = [{ count: { to: 250, delayMs: 10 } }]

/** A system in which `name` kills its process once, at the given pass. */
async function withDeathAt(name: FailpointName, at: number) {
  const mark = path.join(freshFolder('mark'), 'fired')
  const points = { [name]: { do: 'kill', at, mark } } as const
  rig = await startRig(name.startsWith('hub') ? { hubFailpoints: points } : { agentFailpoints: points })
  return { mark, fired: () => until(`${name} to kill`, () => existsSync(mark)) }
}

describe('the hub dies', () => {
  it.each(passes(4, 11))(
    '[F1] [T20] after the insert, before the commit, at group %i: nothing was acked, all of it is sent again',
    async (at) => {
      const { fired } = await withDeathAt('hub.afterInsert', at)
      const sessionId = await rig.begin(counting)
      await fired()
      await rig.system.hub.kill()
      await rig.system.hub.start()
      await rig.agree(sessionId)
    },
  )

  it.each(passes(4, 11))(
    '[F2] [T20] after the commit, before the ack, at group %i: what comes again is counted, not stored',
    async (at) => {
      const { fired } = await withDeathAt('hub.afterCommit.beforeAck', at)
      const sessionId = await rig.begin(counting)
      await fired()
      await rig.system.hub.kill()
      await rig.system.hub.start()
      await rig.agree(sessionId)
    },
  )

  it('[F26] with a decision on disk and not sent: it is delivered afterwards and applied once', async () => {
    const { fired } = await withDeathAt('hub.command.beforeSend', 2)
    const sessionId = await rig.begin([writing('once.txt'), { text: 'Done.' }])
    const { requestId, digest } = await rig.asked(sessionId)
    await rig.rest.decide(requestId, { decision: 'allow', digest })
    await fired()
    await rig.system.hub.kill()
    await rig.system.hub.start()
    await rig.agree(sessionId)
    expect(outcomesOf(sessionId)).toEqual(['applied'])
    expect(readFileSync(path.join(rig.system.workDir, 'once.txt'), 'utf8')).toBe('written')
  })
})

describe('the daemon dies', () => {
  it('[F3] [T20] with events on disk and not sent: they arrive after its next start', async () => {
    const { fired } = await withDeathAt('agent.afterAppend.beforeSend', 5)
    const sessionId = await rig.begin(counting)
    await fired()
    await rig.system.agent.start()
    await rig.agree(sessionId)
  })

  it('[T20] with an ack in hand and not on disk: what it sends again is counted, not stored', async () => {
    const { fired } = await withDeathAt('agent.afterAck.beforePersist', 5)
    const sessionId = await rig.begin(counting)
    await fired()
    await rig.system.agent.start()
    await rig.agree(sessionId)
  })
})

describe('the program dies', () => {
  it.each(passes(1, 12))(
    '[F4] [F5] [RES-2] with block %i in its own record and not printed: the log has it all the same, marked recovered',
    async (at) => {
      const { fired } = await withDeathAt('scripted.afterRecord.beforePrint', at)
      const sessionId = await rig.begin(counting)
      await fired()
      const events = eventsOf(await rig.agree(sessionId))
      expect(events.filter((event) => 'recovered' in event && event.recovered)).toHaveLength(1)
      expect(events.slice(-2).map(({ kind }) => kind)).toEqual(['process_exited', 'turn_completed'])
      await rig.prompt(sessionId, [{ text: 'On we go.' }])
      await rig.agree(sessionId)
    },
  )
})

describe('the session host dies', () => {
  it.each(passes(3, 20))(
    '[F4] [T20] inside its append, at commit %i: the program ends, its transcript fills the log, the turn has an end',
    async (at) => {
      const { fired } = await withDeathAt('agent.append', at)
      const sessionId = await rig.begin(counting)
      await fired()
      await rig.agree(sessionId)
      await rig.prompt(sessionId, [{ text: 'On we go.' }])
      const rows = await rig.agree(sessionId)
      expect(eventsOf(rows).filter(({ kind }) => kind === 'turn_completed')).toHaveLength(
        eventsOf(rows).filter(({ kind }) => kind === 'turn_started').length,
      )
    },
  )

  it.each(['agent.decision.beforeApply', 'agent.decision.afterApply.beforePersist'] as const)(
    '[F27] [CMD-3.1] at %s: the outcome is unknown, and it is never applied again',
    async (name) => {
      const { fired } = await withDeathAt(name, 1)
      const sessionId = await rig.begin([writing('maybe.txt'), { text: 'Done.' }])
      const { requestId, digest } = await rig.asked(sessionId)
      await rig.rest.decide(requestId, { decision: 'allow', digest })
      await fired()
      await rig.agree(sessionId)
      expect(outcomesOf(sessionId)).toEqual(['outcome_unknown'])
      await rig.prompt(sessionId, [{ text: 'On we go.' }])
      await rig.agree(sessionId)
      expect(outcomesOf(sessionId)).toEqual(['outcome_unknown'])
    },
  )
})

const writing = (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'written' } })

function outcomesOf(sessionId: string): string[] {
  return eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'permission_resolved' ? [event.outcome] : [],
  )
}
