// What a session's program cannot do is refused at the request, by the last report of its machine.
import type { BackendManifestEntry, Capabilities } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../../testing/fake-agent'
import { World } from '../../testing/route-deeds'
import { hostState, liveSession, settings } from '../../testing/scenario'
import { TestHub } from '../../testing/test-hub'

const capabilities: Capabilities = {
  supportsMessageInjection: false,
  supportsSessionResume: false,
  emitsSubagentEvents: false,
}
const program: BackendManifestEntry = {
  kind: 'scripted',
  label: 'Plain',
  installed: true,
  models: [],
  modes: [{ code: 'edit', label: 'Edit' }],
  sandboxes: ['workspace-write'],
  capabilities,
  accepted: {
    modes: [{ code: 'edit', sandboxes: ['workspace-write'] }, { code: 'never-asks' }],
    sandboxes: ['read-only', 'workspace-write'],
  },
}

describe('what the program cannot do', () => {
  let hub: TestHub
  let world: World
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    hub = await TestHub.start()
    world = new World(hub)
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    await reports(program)
  })
  afterEach(() => hub.stop())

  const reports = async (...backends: BackendManifestEntry[]) => {
    const manifest = JSON.stringify({ manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends })
    await hub.store.prisma.agent.update({ where: { agentId: agent.agentId }, data: { manifest } })
  }
  const errorOf = async (path: string, body: object) =>
    (await world.ask('POST', path, body)).json.error as { code: string; message: string; details: object } | undefined
  const create = (more: object) =>
    errorOf('/sessions', { agentId: agent.agentId, settings: { ...settings, ...more }, prompt: 'go' })
  const inSession = (path: string, body: object) => errorOf(`/sessions/${sessionId}/${path}`, body)
  const stored = async () => [await hub.store.prisma.session.count(), await hub.store.prisma.command.count()]

  it.each<[string, object, object]>([
    ['a thinking level', { thinking: 'high' }, { capability: 'reasoning_effort', field: 'thinking' }],
    ['a list of tools', { allowedTools: ['Read'] }, { capability: 'accepts_allowed_tools_list' }],
    ['MCP servers', { mcpConfigPath: '/m.json' }, { capability: 'accepts_mcp_server_spec' }],
    ['a mode', { mode: 'yolo' }, { capability: 'mode', value: 'yolo' }],
    ['a sandbox', { sandbox: 'full-access' }, { capability: 'sandbox', value: 'full-access' }],
  ])(
    '[CAP-3.1] is refused with the request for a new session, and nothing is stored: %s',
    async (_what, more, details) => {
      const before = await stored()
      expect(await create(more)).toMatchObject({ code: 'UNSUPPORTED', details })
      expect(await stored()).toEqual(before)
    },
  )

  it.each<[string, string, object, object]>([
    ['a setting', 'configure', { mode: 'yolo' }, { capability: 'mode' }],
    ['two settings that do not go together', 'configure', { mode: 'edit', sandbox: 'read-only' }, { field: 'mode' }],
    ['a resume by itself', 'configure', { autoResume: true }, { capability: 'session_resume' }],
    ['a steer', 'prompts', { promptId: 'p1', text: 'now', steer: true }, { capability: 'message_injection' }],
    ['a mode of one turn', 'prompts', { promptId: 'p1', text: 'x', override: { mode: 'yolo' } }, { value: 'yolo' }],
    ['an interrupt', 'interrupt', { turnId: 't1' }, { capability: 'interrupt' }],
    ['a resume', 'resume', {}, { capability: 'session_resume' }],
  ])('[CAP-3.1] is refused in a session, and no command is stored: %s', async (_what, path, body, details) => {
    const before = await stored()
    expect(await inSession(path, body)).toMatchObject({ code: 'UNSUPPORTED', details })
    expect(await stored()).toEqual(before)
  })

  it('says which program lacks it, in plain words', async () => {
    expect((await create({ allowedTools: ['Read'] }))?.message).toBe('Plain takes no list of tools.')
  })

  it('[CAP-2.3] the limit of an answer is never refused', async () => {
    expect(await create({ maxOutputTokens: 8_000 })).toBeUndefined()
  })

  it('[CAP-3.3] what the policy does not offer is left to the machine', async () => {
    expect(await create({ mode: 'never-asks' })).toBeUndefined()
  })

  it('[CAP-3.2] is not guessed where the machine has not reported the program as installed', async () => {
    await reports({ ...program, installed: false, unavailableReason: 'It did not answer.' })
    expect(await create({ thinking: 'high' })).toBeUndefined()
    await reports()
    expect(await create({ thinking: 'high' })).toBeUndefined()
    expect(await inSession('resume', {})).toBeUndefined()
  })

  it('a stop, the end of the program, and a plain prompt go through', async () => {
    for (const [path, body] of [
      ['prompts', { promptId: 'p1', text: 'go' }],
      ['end-process', {}],
      ['stop', {}],
    ] as const) {
      expect(await inSession(path, body), path).toBeUndefined()
    }
  })
})
