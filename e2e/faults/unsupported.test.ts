/**
 * What a session's program cannot do, on real processes: refused at the request, by the session host where the hub knows less,
 * and by the program alone.
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { HubFile } from '../support/damage/damage-hub'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
const logged = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const said = (sessionId: string, text: string) =>
  until(`the program to say ${text}`, () =>
    logged(sessionId).some((event) => event.kind === 'assistant_text' && event.text === text),
  )
const configured = (sessionId: string) =>
  logged(sessionId).filter(
    (event): event is SessionEvent & { kind: 'session_configured' } => event.kind === 'session_configured',
  )
const lacks = (details: object) => ({ code: 'UNSUPPORTED', details })

describe('what the program cannot do', () => {
  it('[CAP-3.1] is refused with the request for a new session, and no session is left', async () => {
    const before = (await rig.rest.sessions({})).items.length
    await expect(rig.begin([{ text: 'Never.' }], { mode: 'careful' })).rejects.toMatchObject(
      lacks({ capability: 'mode', field: 'mode', value: 'careful' }),
    )
    await expect(rig.begin([{ text: 'Never.' }], { thinking: 'most' })).rejects.toMatchObject(
      lacks({ capability: 'reasoning_effort', field: 'thinking', value: 'most' }),
    )
    expect((await rig.rest.sessions({})).items).toHaveLength(before)
  })

  it('[CAP-3.3] what the policy denies is denied by the machine, which says the rule', async () => {
    const [agent] = (await rig.rest.agents()).items
    const { sessionId } = await rig.rest.createSession({
      agentId: agent?.agentId ?? '',
      settings: { backend: 'scripted', workDir: rig.system.workDir, sandbox: 'full-access' },
    })
    const { status } = await until('the machine to refuse it', async () => {
      const session = await view(sessionId)
      return session.status.status === 'ended' && session
    })
    expect(status).toMatchObject({ error: { code: 'POLICY_DENIED' } })
  })

  it('[CAP-3.1] [CAP-3.4] is refused in a session, by the host where the hub knows nothing of the program', async () => {
    const sessionId = await rig.begin([{ text: 'One.' }])
    await said(sessionId, 'One.')
    await expect(rig.rest.configure(sessionId, { mode: 'careful' })).rejects.toMatchObject(
      lacks({ capability: 'mode', value: 'careful' }),
    )
    new HubFile(rig.system.hub.dataDir).sql((db) => db.prepare('UPDATE "Agent" SET manifest = NULL').run())
    const { commandId } = await rig.rest.configure(sessionId, { mode: 'careful' })
    const command = await until('the host to refuse it', async () =>
      (await view(sessionId)).commands.find((one) => one.commandId === commandId && one.state === 'refused'),
    )
    expect(command.error).toMatchObject({ code: 'UNSUPPORTED' })
    expect(configured(sessionId)).toEqual([])
    const [agent] = (await rig.rest.agents()).items
    await rig.rest.refreshAgent(agent?.agentId ?? '')
    await rig.prompt(sessionId, [{ text: 'Two.' }])
    await said(sessionId, 'Two.')
    await rig.agree(sessionId)
  })
})

describe('a model that only the program knows not to exist', () => {
  it('[CAP-4.1] [CAP-4.2] [CAP-4.4] stops one start, and the session goes on with the earlier one', async () => {
    const sessionId = await rig.begin([{ text: 'Three.' }], { model: 'scripted-small' })
    await said(sessionId, 'Three.')
    await rig.rest.endProcess(sessionId)
    await until('its program to end', async () => (await view(sessionId)).status.status === 'resumable')
    await rig.rest.configure(sessionId, { model: 'no-such' })
    await rig.rest.resume(sessionId, {})
    const [, back] = await until('the host to take it back', () => {
      const changes = configured(sessionId)
      return changes.length === 2 && changes
    })
    expect(back).toMatchObject({
      changes: { model: 'scripted-small' },
      by: 'backend',
      error: { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('no-such') },
    })
    await until('the hub to know', async () => (await view(sessionId)).settings.model === 'scripted-small')
    await rig.prompt(sessionId, [{ text: 'Four.' }])
    await said(sessionId, 'Four.')
    await rig.agree(sessionId)
  })
})
