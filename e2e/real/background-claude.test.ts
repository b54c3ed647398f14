/** Helpers that Claude Code runs in the background: their questions are nobody's turn, and are answered all the same. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(
  `[claude] helpers in the background${missing === null ? '' : ` (${missing})`}`,
  () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind: 'claude' })
    })
    afterAll(() => rig.dispose())

    const fileOf = (name: string) => path.join(rig.system.workDir, `${name}.txt`)
    const helper = (name: string) => ({
      name: 'Agent',
      input: {
        description: `helper ${name}`,
        subagent_type: 'general-purpose',
        run_in_background: true,
        prompt: scriptOf([
          { tool: 'Bash', input: { command: `echo ${name} > ${name}.txt`, description: 'writes' } },
          { text: `Helper ${name} is done.` },
        ]),
      },
    })
    const open = async (sessionId: string) => {
      const { requests } = (await rig.rest.snapshot(sessionId, 1)).session
      return requests.filter(({ decision, outcome }) => !decision && outcome === 'open').map(({ ask }) => ask)
    }

    it('[PERM-1.14] [PERM-1.15] [LOG-7] two of them ask while the turn ends; after another turn and restarts of hub and daemon both act on the answer', async () => {
      const session = await Resumed.begin(rig, [{ tools: [helper('one'), helper('two')] }, { text: 'Main is done.' }])
      await session.turns(1)
      const asked = await until('two questions', async () => {
        const now = await open(session.sessionId)
        return now.length === 2 && now
      })
      await session.plays({ text: 'Another turn.' })
      await rig.system.hub.kill()
      await rig.system.hub.start()
      await rig.system.agent.kill()
      await rig.system.agent.start()

      const summary = await until('the machine to be back', async () => {
        const { items } = await rig.rest.sessions({})
        const found = items.find(({ sessionId }) => sessionId === session.sessionId)
        return found?.agentOnline && found
      })
      expect(summary).toMatchObject({ status: { status: 'needs_you' }, pendingRequests: 2 })
      expect((await rig.rest.inbox()).requests.map(({ ask }) => ask.requestId).sort()).toEqual(
        asked.map(({ requestId }) => requestId).sort(),
      )
      expect((await open(session.sessionId)).map(({ requestId }) => requestId)).toEqual(
        asked.map(({ requestId }) => requestId),
      )
      for (const ask of asked) await rig.allow(ask)
      await until('both files', () => existsSync(fileOf('one')) && existsSync(fileOf('two')))
      await until('both helpers to report', () =>
        ['one', 'two'].every((name) =>
          session
            .of('assistant_text')
            .some(({ text, parentCallId }) => parentCallId !== undefined && text === `Helper ${name} is done.`),
        ),
      )
      expect(session.of('permission_resolved').map(({ outcome }) => outcome)).toEqual(['applied', 'applied'])
      // The program then tells its model, in one turn or two that nobody asked for.
      await until('all accounts to agree', () =>
        rig.agree(session.sessionId).then(
          () => true,
          () => false,
        ),
      )
    })
  },
)
