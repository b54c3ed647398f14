/** A permission request that waits while things die, and people who answer at the same time. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createHubClient } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const writing = (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'written' } })

async function waiting(file: string) {
  const sessionId = await rig.begin([{ text: 'I ask.' }, writing(file), { text: 'Done.' }])
  return { sessionId, ask: await rig.asked(sessionId) }
}

const outcomesOf = (sessionId: string) =>
  eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'permission_resolved' ? [event.outcome] : [],
  )

const wasWritten = (file: string) => existsSync(path.join(rig.system.workDir, file))

describe('a request that waits', () => {
  it('[F23] [F24] [T48] [PERM-3.1] stays while hub and daemon die, alone and together, and is applied once', async () => {
    const { sessionId, ask } = await waiting('applied.txt')
    const { hub, agent } = rig.system
    await hub.kill()
    await hub.start()
    expect(await rig.asked(sessionId)).toEqual(ask)
    await agent.kill()
    await agent.start()
    expect(await rig.asked(sessionId)).toEqual(ask)
    await Promise.all([hub.kill(), agent.kill()])
    await hub.start()
    await agent.start()
    expect(await rig.asked(sessionId)).toEqual(ask)
    await rig.allow(ask)
    await rig.agree(sessionId)
    expect({ outcomes: outcomesOf(sessionId), written: wasWritten('applied.txt') }).toEqual({
      outcomes: ['applied'],
      written: true,
    })
  })

  it('[F25] [T38] is orphaned when hub, daemon, host and program all die, and a decision on it is refused', async () => {
    const { sessionId, ask } = await waiting('orphaned.txt')
    const { hub, agent } = rig.system
    await Promise.all([hub.kill(), agent.kill()])
    agent.killHost(sessionId)
    await hub.start()
    const early = rig.allow(ask)
    await agent.start()
    // Made before the machine was back it is stored, and told its outcome; made after, it is refused.
    const answer = await early.catch((error: unknown) => error)
    await until('the session to be closed', () => outcomesOf(sessionId).length > 0)
    await rig.agree(sessionId)
    await expect(rig.allow(ask)).rejects.toMatchObject({
      code: answer instanceof Error ? 'REQUEST_GONE' : 'PERMISSION_ALREADY_DECIDED',
    })
    expect({ outcomes: outcomesOf(sessionId), written: wasWritten('orphaned.txt') }).toEqual({
      outcomes: ['orphaned'],
      written: false,
    })
  })

  variation(
    '[T45] is answered while the link is down: the answer waits for the machine and is applied once',
    async () => {
      const { sessionId, ask } = await waiting('late.txt')
      await rig.system.agent.kill()
      const view = await rig.allow(ask)
      expect(view).toMatchObject({ decision: { answer: 'allow' }, outcome: 'open' })
      await rig.system.agent.start()
      await rig.agree(sessionId)
      expect(outcomesOf(sessionId)).toEqual(['applied'])
    },
  )
})

describe('two people', () => {
  it('[T35] [F28] [I6] [PERM-1.6] answer opposite at the same time, again and again: one winner each, applied as it won', async () => {
    const other = createHubClient(await rig.system.hub.login())
    const files = Array.from({ length: wholeMatrix ? 100 : 15 }, (_, i) => `race-${i}.txt`)
    const sessionId = await rig.begin([{ tools: files.map((file) => ({ name: 'Write', input: writing(file).input })) }])
    const decided = new Map<string, string>()
    await until(
      'all to be decided',
      async () => {
        const open = (await rig.rest.snapshot(sessionId, 1)).session.requests.filter(({ decision }) => !decision)
        for (const { ask } of open) {
          const { requestId, digest } = ask
          const answers = await Promise.allSettled([
            rig.rest.decide(requestId, { decision: 'allow', digest }),
            other.rest.decide(requestId, { decision: 'deny', digest }),
          ])
          const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []))
          expect(lost).toEqual(['PERMISSION_ALREADY_DECIDED'])
          const file = String((ask.input as { file_path: string }).file_path)
          decided.set(path.basename(file), answers[0].status === 'fulfilled' ? 'allow' : 'deny')
        }
        return decided.size === files.length
      },
      60_000,
    )
    other.close()
    await rig.agree(sessionId)
    expect(outcomesOf(sessionId)).toEqual(files.map(() => 'applied'))
    for (const file of files) expect([file, wasWritten(file)]).toEqual([file, decided.get(file) === 'allow'])
  })
})
