/** Plan mode on the real program: a person is asked, and the mode that a plan is approved in is the session's. */
import { existsSync } from 'node:fs'
import type { DecisionRequest } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, writeStep } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { askedWith, freshPath, Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(`[claude] plan mode${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
  })
  afterAll(() => rig.dispose())

  const plan = { tool: 'ExitPlanMode', input: { plan: '# The plan\n\n1. Write.' } }
  const write = (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'x' } })

  async function decide(session: Resumed, toolName: string, decision: Omit<DecisionRequest, 'digest'>) {
    const ask = await until(`a question about ${toolName}`, async () => {
      const { requests } = await session.session()
      return requests.find((one) => one.outcome === 'open' && one.ask.toolName === toolName)?.ask
    })
    await rig.rest.decide(ask.requestId, { digest: ask.digest, ...decision })
  }
  const mode = async (session: Resumed) => (await session.session()).settings?.mode

  it('[RES-7.2] [PERM-1.8] a command asks, a refusal reaches the model, and an approved plan outlives its host', async () => {
    const [asked, made] = [freshPath(rig, 'asked'), freshPath(rig, 'made')]
    const session = await Resumed.begin(rig, [writeStep('claude', asked, 'x'), plan, { text: 'Planned.' }], {
      mode: 'plan',
    })
    await decide(session, 'Bash', { decision: 'deny', reason: 'Not before the plan.' })
    await decide(session, 'ExitPlanMode', { decision: 'allow', mode: 'acceptEdits' })
    await session.turns(1)
    expect(existsSync(asked)).toBe(false)
    expect(askedWith(rig, 'Not before the plan.')).not.toHaveLength(0)
    expect(await mode(session)).toBe('acceptEdits')

    await session.killHost()
    expect(await session.plays(write(made), { text: 'Done.' })).toMatchObject({ reason: 'completed' })
    expect(existsSync(made)).toBe(true)
    const questions = session.of('permission_requested').map(({ ask }) => ask.toolName)
    expect(questions).toEqual(['Bash', 'ExitPlanMode'])
    expect(session.of('session_configured')).toEqual([
      expect.objectContaining({ changes: { mode: 'acceptEdits' }, by: 'person' }),
    ])
    await rig.agree(session.sessionId)
  })

  variation(
    '[RES-7.2] a plan that was approved without another mode is not planned again after a restart',
    async () => {
      const made = freshPath(rig, 'made')
      const session = await Resumed.begin(rig, [plan, { text: 'Planned.' }], { mode: 'plan' })
      await decide(session, 'ExitPlanMode', { decision: 'allow' })
      await session.turns(1)
      expect(session.of('session_configured')).toEqual([
        expect.objectContaining({ changes: { mode: 'default' }, by: 'backend' }),
      ])
      await until('the mode', async () => (await mode(session)) === 'default')
      await session.killHost()
      await rig.prompt(session.sessionId, [write(made), { text: 'Done.' }])
      await decide(session, 'Write', { decision: 'allow' })
      await session.turns(2)
      expect(existsSync(made)).toBe(true)
    },
  )

  variation('[RES-7.2] plan mode that the model entered by itself is the mode of the session', async () => {
    const session = await Resumed.begin(rig, [{ tool: 'EnterPlanMode', input: {} }, { text: 'Planning.' }])
    await session.turns(1)
    expect(session.of('session_configured')).toEqual([
      expect.objectContaining({ changes: { mode: 'plan' }, by: 'backend' }),
    ])
  })
})
