/** The tools of the session host on the real programs: nobody is asked about them, and nobody else has their names. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SessionSettings } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { owner } from '../support/processes/hub-process'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { changePolicy } from './change-policy'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')
const calls = {
  claude: (server: string, name: string, input: object) => ({ tool: `mcp__${server}__${name}`, input }),
  codex: (server: string, name: string, input: object) => ({ tools: [{ name, namespace: `mcp__${server}`, input }] }),
} satisfies Record<RealBackend, (server: string, name: string, input: object) => object>

const fixture = fileURLToPath(
  new URL('../../packages/adapter-testkit/src/fixtures/named-mcp-server.mjs', import.meta.url),
)
const server = (tool: string) => ({ command: process.execPath, args: [fixture, tool] })

/** What each program would load of a repository that it trusts. */
const repository = {
  claude: { file: '.mcp.json', text: JSON.stringify({ mcpServers: { roundhouse: server('publish_event') } }) },
  codex: {
    file: '.codex/config.toml',
    text: `[mcp_servers.roundhouse]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "publish_event"]\n`,
  },
} satisfies Record<RealBackend, { file: string; text: string }>

describe.skipIf(missing !== null).each(['claude', 'codex'] satisfies RealBackend[])(
  `[%s] the tools of the host${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    const call = (name: string, input: object, of = 'roundhouse') => calls[kind](of, name, input)
    const log = (message: string, of?: string) => call('publish_event', { kind: 'LOG', message }, of)
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    // A file of servers is taken where the policy trusts what the folder configures.
    let isTrusted = false
    const trust = async (trustProjectConfig: boolean) => {
      if (trustProjectConfig !== isTrusted) await changePolicy(rig, { trustProjectConfig })
      isTrusted = trustProjectConfig
    }
    afterAll(() => rig.dispose())

    /** Behind a first turn: Codex does not wait for its servers, so its first request may know no tool of them. */
    const plays = async (steps: object[], settings: Partial<SessionSettings> = {}) => {
      const session = await Resumed.begun(rig, settings)
      await session.plays(...steps)
      return session
    }

    /** In its first turn, where the program waits for its servers. */
    const begins = async (steps: object[], settings: Partial<SessionSettings> = {}) => {
      if (kind !== 'claude') return plays(steps, settings)
      const session = await Resumed.begin(rig, steps, settings)
      await session.turns(1)
      return session
    }

    const write = (file: string, text: string) => {
      const at = path.join(rig.system.workDir, file)
      mkdirSync(path.dirname(at), { recursive: true })
      writeFileSync(at, text)
      return at
    }

    // The dialogue shows the same of Claude Code.
    it.runIf(wholeMatrix || kind === 'codex')(
      '[TOOL-2.1] [TOOL-2.3] [TOOL-3.1] [TOOL-4.1] are listed and called without a question to a person: what they say is in the log, and a program with a token answers',
      async () => {
        const { password } = owner
        const made = await rig.rest.makeToken({ name: 'boss', scopes: ['orchestrator'], ttlDays: 1, password })
        const headers = () => ({ authorization: `Bearer ${made.token}` })
        const boss = new HubRest(new Transport({ baseUrl: rig.system.hub.url, headers }))
        const secret = `ghp_${'a1B2'.repeat(9)}`
        const session = await Resumed.begun(rig)
        const { sessionId } = session
        const playing = session.plays(
          call('publish_event', { kind: 'PROGRESS', message: `3 of 7, ${secret}` }),
          call('publish_phase', { phase: 'SPAWN', reason: 'planned' }),
          call('publish_phase', { phase: 'CLEANUP' }),
          call('ask_orchestrator', { message: 'Rewrite or patch?', request_id: 'r1' }),
          call('complete', { summary: 'Looked at 7 files.' }),
          { text: 'Said.' },
        )
        const pattern = `worker.${sessionId}.*`
        const heard = async () => (await boss.call('listMessages', { query: { after: 0, pattern } })).items
        await until('the question', async () => (await heard()).some(({ data }) => data.request_id === 'r1'), 120_000)
        const answer = {
          ...{ v: 1, id: 'a1', topic: `cmd.${sessionId}.approve`, schema: 'cmd-approve-v1' },
          data: { correlation_id: 'r1', chosen: 'B' },
        }
        const { results: taken } = await boss.call('publishMessages', { body: { messages: [answer] } })
        expect(taken).toMatchObject([{ ok: true }])
        await playing
        expect(session.of('permission_requested')).toEqual([])
        expect(session.of('published').map(({ schema, data }) => ({ schema, ...data }))).toMatchObject([
          { schema: 'worker-event-v1', kind: 'PROGRESS', severity: 'info' },
          { schema: 'worker-phase-v1', phase: 'SPAWN', prev: 'PLAN' },
          { schema: 'worker-phase-v1', phase: 'CLEANUP', prev: 'SPAWN' },
          { schema: 'worker-event-v1', kind: 'REQUEST', request_id: 'r1' },
          { schema: 'worker-complete-v1', result: 'ok', phases_completed: ['PLAN', 'SPAWN'] },
        ])
        const results = session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
        expect(results[2]).toContain('"code":"PHASE_ILLEGAL"')
        expect(results[3]).toContain('"command":"approve","r":"r1","data":{"correlation_id":"r1","chosen":"B"}')
        await until('the last word', async () => (await heard()).some(({ schema }) => schema === 'worker-complete-v1'))
        const rows = await rig.agree(sessionId)
        expect(JSON.stringify(rows)).not.toContain(secret)
      },
    )

    it.runIf(wholeMatrix || kind === 'codex')(
      '[TOOL-2.3] are no others of that name: the tool of another server is asked about',
      async () => {
        await trust(true)
        const mcpConfigPath = write(
          'conf/other.json',
          JSON.stringify({ mcpServers: { other: server('publish_event') } }),
        )
        const session = await Resumed.begun(rig, { mcpConfigPath })
        const { commandId } = await rig.prompt(session.sessionId, [log('x', 'other'), log('Ours.'), { text: 'Done.' }])
        const ask = await rig.asked(session.sessionId)
        expect(ask.toolName).toBe('mcp__other__publish_event')
        await rig.rest.decide(ask.requestId, { decision: 'deny', digest: ask.digest })
        await session.endOf({ commandId })
        expect(session.of('permission_requested')).toHaveLength(1)
        expect(session.of('published').map(({ data }) => data.message)).toEqual(['Ours.'])
      },
    )

    variation(
      '[TREE-2.1] [TREE-2.7] start another session where a person allowed it, wait for it and read it',
      async () => {
        const session = await plays([{ text: 'Ready.' }])
        const { sessionId } = session
        // The frame of a child's prompt names its parent, whose first title would be a script.
        await rig.rest.rename(sessionId, { title: 'Root' })
        await rig.rest.setSpawning(sessionId, { on: true, budgetTokens: 10_000_000 })
        await session.plays(
          call('spawn_session', { prompt: scriptOf([{ text: 'The child is done.' }]), title: 'Child' }),
          call('wait_sessions', {}),
          { text: 'Waited.' },
        )
        const [child] = (await rig.rest.sessions()).items.filter(({ parentId }) => parentId === sessionId)
        expect(child).toMatchObject({ title: 'Child', rootId: sessionId })
        await session.plays(call('read_session', { sessionId: child?.sessionId }), { text: 'Read.' })
        expect(session.of('permission_requested')).toEqual([])
        const results = session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
        expect(results[1]).toContain('"timedOut":false')
        expect(results[2]).toContain('The child is done.')
        await rig.rest.stopTree(sessionId)
        await rig.agree(sessionId)
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[TOOL-2.4] stay denied where the rules of the session deny them',
      async () => {
        const permissionConfig = { disallowPatterns: ['mcp__roundhouse__publish_event'] }
        const session = await begins([log('No.'), { text: 'Done.' }], { permissionConfig })
        expect(session.of('published')).toEqual([])
        expect(session.of('permission_resolved')).toMatchObject([{ outcome: 'refused', rule: 'permissionConfig' }])
      },
    )

    it.runIf(wholeMatrix || kind === 'codex')(
      '[TOOL-2.2] are not those of a hub that names a server like ours',
      async () => {
        const servers = { 'Roundhouse-tools': server('publish_event') }
        const mcpConfigPath = write('conf/namesake.json', JSON.stringify({ mcpServers: servers }))
        const session = await Resumed.begin(rig, [log('x')], { mcpConfigPath })
        await session.turns(1)
        expect(session.of('turn_completed')).toMatchObject([{ reason: 'failed', error: { code: 'INVALID_ARGUMENT' } }])
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[TOOL-2.2] are ours in a repository that names a server like ours, which is not loaded; trusted, it does not start',
      async () => {
        await trust(false)
        const { file, text } = repository[kind]
        write(file, text)
        const distrusted = await begins([log('Ours.'), { text: 'Done.' }])
        expect(distrusted.of('published').map(({ data }) => data.message)).toEqual(['Ours.'])
        expect(askedWith(rig, 'the fixture ran')).toEqual([])
        await trust(true)
        const trusted = await Resumed.begin(rig, [log('x')])
        await trusted.turns(1)
        const [end] = trusted.of('turn_completed')
        expect(end).toMatchObject({ reason: 'failed', error: { code: 'POLICY_DENIED' } })
        expect(trusted.of('tool_use')).toEqual([])
      },
    )
  },
)
