/** CMD-11 at the hub: four methods are questions to the machine, four are commands. */
import type { QueryRequest } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { World } from '../testing/route-deeds'
import { hostState, liveHub } from '../testing/scenario'
import { ana, ben, type TestHub, vic } from '../testing/test-hub'

let hub: TestHub
let agent: FakeAgent
let sessionId: string
beforeEach(async () => {
  ;({ hub, agent, sessionId } = await liveHub())
})
afterEach(() => hub.stop())

const declares = async (...queries: string[]) => {
  const manifest = JSON.stringify({ backends: [{ kind: 'scripted', capabilities: { queries } }] })
  await hub.store.prisma.agent.update({ where: { agentId: agent.agentId }, data: { manifest } })
}
const query = (request: QueryRequest, who = ben, key = hub.key()) =>
  hub.core.sessions.query(who, sessionId, request, key)
const bodies = () => agent.commands.map(({ body }) => body).filter(({ kind }) => kind !== 'session.create')
const audited = async () => (await hub.core.auditLog.page(ana, { limit: 5 })).items.map(({ action }) => action)

describe('a query that only reads', () => {
  const servers = { method: 'mcpServerStatus', result: [{ name: 'sums', status: 'connected' }] }
  const ask = { method: 'mcpServerStatus' } as const
  beforeEach(() => declares('mcpServerStatus', 'accountInfo'))

  it('[CMD-11.4] is asked of the machine each time, and leaves nothing behind', async () => {
    agent.questionAnswer = servers
    const before = await audited()
    const key = hub.key()
    expect(await query(ask, ben, key)).toEqual(servers)
    expect(await query(ask, ben, key)).toEqual(servers)
    const question = { kind: 'query', sessionId, method: 'mcpServerStatus' }
    expect(agent.questions).toEqual([question, question])
    expect([await audited(), bodies()]).toEqual([before, []])
  })

  it('[CMD-11.5] is answered to people who may prompt, and not to people who only watch', async () => {
    agent.questionAnswer = servers
    await expect(query(ask, vic)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(agent.questions).toEqual([])
  })

  it('[CMD-11.2] is refused by its method where the program declares it not, or the agent is older', async () => {
    const refused = { code: 'UNSUPPORTED', details: { method: 'supportedModels' } }
    await expect(query({ method: 'supportedModels' })).rejects.toMatchObject(refused)
    await hub.store.prisma.agent.update({ where: { agentId: agent.agentId }, data: { manifest: null } })
    await expect(query(ask)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(agent.questions).toEqual([])
  })

  it('[CMD-11.7] has the machine’s refusal, and no answer to another question or beyond its limits', async () => {
    agent.questionError = { code: 'NOT_RUNNING', message: 'No.', retryable: false }
    await expect(query(ask)).rejects.toMatchObject({ code: 'NOT_RUNNING' })
    agent.questionError = null
    agent.questionAnswer = { method: 'accountInfo', result: { email: 'ana@example.com' } }
    await expect(query(ask)).rejects.toMatchObject({ code: 'BACKEND_ERROR' })
    agent.questionAnswer = { method: 'mcpServerStatus', result: [{ name: 'x'.repeat(201), status: 'connected' }] }
    await expect(query(ask)).rejects.toMatchObject({ code: 'BACKEND_ERROR' })
    await hub.leave(agent)
    await expect(query(ask)).rejects.toMatchObject({ code: 'AGENT_OFFLINE' })
  })

  it('[AUTH-1.8] is not answered to somebody whose rights ended meanwhile', async () => {
    const world = new World(hub)
    let ended = false
    agent.questionAnswer = new Promise((resolve) => {
      void agent.waiter
        .until(() => agent.questions.length > 0)
        .then(() => {
          ended = hub.people.delete(ana.userId)
          resolve(servers)
        })
    })
    const { ok, json } = await world.ask('POST', `/sessions/${sessionId}/query`, ask)
    expect([ended, ok, json]).toMatchObject([true, false, { error: { code: 'AUTH_REQUIRED' } }])
  })

  it('[CMD-11.6] comes at a pace: what is more is refused with the time to wait', async () => {
    agent.questionAnswer = servers
    const answers = await Promise.allSettled(Array.from({ length: 30 }, () => query(ask)))
    const codes = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED']))
    expect(agent.questions.length).toBeGreaterThanOrEqual(20)
  })
})

describe('a query that changes something', () => {
  it.each([
    [{ method: 'setModel', args: ['small'] }, { model: 'small' }],
    [{ method: 'setPermissionMode', args: ['plan'] }, { mode: 'plan' }],
    [{ method: 'setMaxThinkingTokens', args: [2_048] }, { maxThinkingTokens: 2_048 }],
    [{ method: 'setMaxThinkingTokens', args: [null] }, { maxThinkingTokens: null }],
  ] satisfies Array<[QueryRequest, object]>)(
    '[CMD-11.3] %j is session.configure, once for one key',
    async (request, changes) => {
      await declares('setMaxThinkingTokens')
      const key = hub.key()
      const made = await query(request, ben, key)
      expect(made).toMatchObject({ method: request.method, result: null, command: { sessionId, state: 'pending' } })
      expect(await query(request, ben, key)).toEqual(made)
      await agent.waiter.until(() => bodies().length > 0)
      expect(bodies()).toEqual([{ kind: 'session.configure', changes }])
      expect((await audited())[0]).toBe('session.configure')
    },
  )

  it('[CMD-11.3] rewindFiles is files.rewind, with its audit row', async () => {
    await declares('rewindFiles')
    await query({ method: 'rewindFiles', args: ['p1'] })
    await agent.waiter.until(() => bodies().length > 0)
    expect(bodies()).toEqual([{ kind: 'files.rewind', promptId: 'p1' }])
    const [row] = (await hub.core.auditLog.page(ana, { limit: 1 })).items
    expect(row).toMatchObject({ action: 'files.rewind', object: sessionId })
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ promptId: 'p1', commandId: expect.any(String) })
  })

  it('[CMD-11.2] is refused by its method where the program declares it not, by every route', async () => {
    const rewind = { method: 'rewindFiles', args: ['p1'] } satisfies QueryRequest
    await expect(query(rewind)).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { method: 'rewindFiles' } })
    const refused = { code: 'UNSUPPORTED', details: { method: 'setMaxThinkingTokens' } }
    const tokens = { method: 'setMaxThinkingTokens', args: [1] } satisfies QueryRequest
    await expect(query(tokens)).rejects.toMatchObject(refused)
    const { sessions } = hub.core
    await expect(sessions.configure(ben, sessionId, { maxThinkingTokens: 1 }, hub.key())).rejects.toMatchObject(refused)
    const settings = { backend: 'scripted', workDir: '/code', maxThinkingTokens: 1 }
    await expect(sessions.create(ben, { agentId: agent.agentId, settings }, hub.key())).rejects.toMatchObject(refused)
    expect(bodies()).toEqual([])
  })

  it('[CMD-11.5] needs the right to control the session', async () => {
    await declares('rewindFiles')
    for (const request of [
      { method: 'setModel', args: ['small'] },
      { method: 'rewindFiles', args: ['p1'] },
    ] as const)
      await expect(query({ ...request, args: [...request.args] }, vic)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(bodies()).toEqual([])
  })

  it('[CMD-11.11] puts no files back in the middle of a turn', async () => {
    await declares('rewindFiles')
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    await expect(query({ method: 'rewindFiles', args: ['p1'] })).rejects.toMatchObject({ code: 'TURN_RUNNING' })
  })

  it('[CMD-11.1] takes the arguments of its method and no others', async () => {
    const world = new World(hub)
    const bad = [
      {},
      { method: 'formatDisk' },
      { method: 'setModel' },
      { method: 'setModel', args: [] },
      { method: 'setModel', args: [{ model: 'x' }] },
      { method: 'setMaxThinkingTokens', args: [-1] },
      { method: 'rewindFiles', args: ['../x'] },
      { method: 'accountInfo', args: ['x'] },
    ]
    for (const body of bad) {
      const { json } = await world.ask('POST', `/sessions/${sessionId}/query`, body)
      expect([body, json]).toMatchObject([body, { error: { code: 'INVALID_ARGUMENT' } }])
    }
  })
})
