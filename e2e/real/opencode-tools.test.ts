/** Real OpenCode says where it stands, asks and completes by the tools of its session host, which a program with a token answers. */
import { HubRest, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { owner } from '../support/processes/hub-process'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'
import { variation } from '../support/rigs/variation'

const missing = await missingReason('opencode')
/** It takes long to start where other programs start too. */
const PATIENCE_MS = 240_000
const call = (name: string, input: object) => ({ tool: `roundhouse_${name}`, input })

describe.skipIf(missing !== null)('[opencode] the tools of the host', { timeout: 2 * PATIENCE_MS }, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'opencode' })
  })
  afterAll(() => rig.dispose())

  it('[TOOL-2.3] [TOOL-3.1] [TOOL-4.1] publish, ask and complete without a question to a person', async () => {
    const { password } = owner
    const made = await rig.rest.makeToken({ name: 'boss', scopes: ['orchestrator'], ttlDays: 1, password })
    const headers = () => ({ authorization: `Bearer ${made.token}` })
    const boss = new HubRest(new Transport({ baseUrl: rig.system.hub.url, headers }))
    const read = async () => (await boss.call('listMessages', { query: { after: 0, pattern: 'worker.**' } })).items
    const session = new Subject(
      rig,
      await rig.begin([
        call('publish_event', { kind: 'PROGRESS', message: '3 of 7' }),
        call('publish_phase', { phase: 'SPAWN' }),
        call('ask_orchestrator', { message: 'Rewrite or patch?', request_id: 'r1' }),
        call('complete', { summary: 'Patched.' }),
        { text: 'Done.' },
      ]),
    )
    const { sessionId } = session
    await until(
      'the question on the bus',
      async () => (await read()).some(({ data }) => data.request_id === 'r1'),
      PATIENCE_MS,
    )
    const answer = {
      ...{ v: 1, id: 'a1', topic: `cmd.${sessionId}.approve`, schema: 'cmd-approve-v1' },
      data: { correlation_id: 'r1', chosen: 'B' },
    }
    const { results } = await boss.call('publishMessages', { body: { messages: [answer] } })
    expect(results).toMatchObject([{ ok: true }])
    await until('the turn to be over', () => session.of('turn_completed').length > 0, PATIENCE_MS)
    expect(session.of('permission_requested')).toEqual([])
    const outputs = session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
    expect(outputs[2]).toContain('"command":"approve","r":"r1","data":{"correlation_id":"r1","chosen":"B"}')
    await until('the last word on the bus', async () => (await read()).some(({ topic }) => topic.endsWith('.complete')))
    expect(
      (await read()).map(({ topic, data }) => `${topic.split('.')[2]} ${data.kind ?? data.phase ?? ''}`.trim()),
    ).toEqual(['boot', 'event PROGRESS', 'phase SPAWN', 'event REQUEST', 'complete'])
    await rig.agree(sessionId)
  })

  variation(
    '[TREE-2.1] [TREE-2.7] start another session where a person allowed it, wait for it and read it',
    async () => {
      const session = new Subject(rig, await rig.begin([{ text: 'Ready.' }]))
      const { sessionId } = session
      const turns = (count: number) =>
        until(`${count} turns to be over`, () => session.of('turn_completed').length >= count)
      await turns(1)
      // The frame of a child's prompt names its parent, whose first title would be a script.
      await rig.rest.rename(sessionId, { title: 'Root' })
      await rig.rest.setSpawning(sessionId, { on: true, budgetTokens: 10_000_000 })
      await rig.prompt(sessionId, [
        call('spawn_session', { prompt: scriptOf([{ text: 'The child is done.' }]), title: 'Child' }),
        call('wait_sessions', {}),
        { text: 'Waited.' },
      ])
      await turns(2)
      const [child] = (await rig.rest.sessions()).items.filter(({ parentId }) => parentId === sessionId)
      expect(child).toMatchObject({ title: 'Child', rootId: sessionId })
      await rig.prompt(sessionId, [call('read_session', { sessionId: child?.sessionId }), { text: 'Read.' }])
      await turns(3)
      expect(session.of('permission_requested')).toEqual([])
      const outputs = session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
      expect(outputs[1]).toContain('"timedOut":false')
      expect(outputs[2]).toContain('The child is done.')
      await rig.rest.stopTree(sessionId)
      await rig.agree(sessionId)
    },
  )
})
