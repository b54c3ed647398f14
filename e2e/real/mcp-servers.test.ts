/** MCP servers of a session on the real programs: what a person grants of their tools, and the forms that they show. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeMcpConfig } from '../../packages/adapter-testkit/src/real-bench'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { playedOn } from '../support/rigs/whole-matrix'
import { changePolicy } from './change-policy'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')
const calls = {
  claude: (server: string, name: string, input: object) => ({ tool: `mcp__${server}__${name}`, input }),
  codex: (server: string, name: string, input: object) => ({
    tools: [{ name, namespace: `mcp__${server}`, input }],
  }),
} satisfies Record<RealBackend, (server: string, name: string, input: object) => object>

variationsUnless(missing !== null).each(playedOn('claude'))(
  `[%s] an MCP server${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    const call = calls[kind]
    let rig: Rig
    let mcpConfigPath: string
    beforeAll(async () => {
      rig = await startRig({ kind })
      await changePolicy(rig, { trustProjectConfig: true })
      mkdirSync(path.join(rig.system.workDir, 'conf'))
      mcpConfigPath = writeMcpConfig(path.join(rig.system.workDir, 'conf'), 'sums', 'asking')
    })
    afterAll(() => rig.dispose())

    it('[PERM-5.28] “every call of this tool”, allowed for the session, answers its second call, and no call of another tool', async () => {
      const shown = { message: 'Your name?', schema: { type: 'object', properties: {} } }
      const session = await Resumed.begin(
        rig,
        [
          call('sums', 'add', { a: 20, b: 3 }),
          call('sums', 'add', { a: 40, b: 5 }),
          call('asking', 'ask', shown),
          { text: 'Added.' },
        ],
        { mcpConfigPath },
      )
      const first = await rig.asked(session.sessionId)
      const scopes = first.scopes ?? []
      expect(scopes.map(({ label }) => label)).toEqual(['exactly this action', 'every call of sums: add'])
      const { requestId, digest } = first
      const scopeId = scopes.at(-1)?.scopeId ?? ''
      await rig.rest.decide(requestId, { decision: 'allow_session', digest, scopeId })

      const other = await until('the tool of the other server to be asked about', async () => {
        const ask = await rig.asked(session.sessionId)
        // The second call may be seen open for a moment, until the grant answers it.
        return ask.toolName === 'mcp__asking__ask' && ask
      })
      const [given, answered] = session.of('permission_resolved')
      const grant = given?.grant
      expect(grant).toMatchObject({ scope: { kind: 'tool', toolName: 'mcp__sums__add' } })
      expect(answered).toMatchObject({ outcome: 'applied', by: { grantId: grant?.grantId, label: grant?.label } })
      expect(JSON.stringify(session.of('tool_result').map(({ output }) => output))).toMatch(/sum 23.*sum 45/)
      await rig.rest.decide(other.requestId, { decision: 'deny', digest: other.digest })
      await session.turns(1)
      expect(session.of('permission_resolved')).toHaveLength(3)
      await rig.agree(session.sessionId)
    })

    it('[PERM-2.17] asks by a form, which takes no answer without what is required; the answer reaches the server, and a refusal too', async () => {
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
      const asks = call('asking', 'ask', { message: 'Your name?', schema })
      const session = await Resumed.begin(rig, [asks, asks, { text: 'Thanks.' }], { mcpConfigPath })
      const answered = new Set<string>()
      const next = () =>
        until('the next request', async () => {
          const ask = await rig.asked(session.sessionId)
          return !answered.has(ask.requestId) && answered.add(ask.requestId) && ask
        })
      /** The form, behind the question whether the tool may run. */
      const form = async () => {
        const call = await next()
        expect(call).toMatchObject({ toolName: 'mcp__asking__ask' })
        await rig.allow(call)
        const ask = await next()
        expect(ask.form).toEqual({
          from: 'asking',
          message: 'Your name?',
          fields: [{ kind: 'text', name: 'name', label: 'name', required: true }],
        })
        return ask
      }
      const { requestId, digest } = await form()
      const empty = rig.rest.decide(requestId, { decision: 'allow', digest, answers: {} })
      await expect(empty).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
      await rig.rest.decide(requestId, { decision: 'allow', digest, answers: { name: 'Ana' } })
      const second = await form()
      await rig.rest.decide(second.requestId, { decision: 'deny', digest: second.digest })
      await session.turns(1)
      const results = session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
      const heard = results.filter((text) => text.includes('action'))
      expect(heard, results.join('\n')).toEqual([
        expect.stringContaining('{"action":"accept","content":{"name":"Ana"}}'),
        expect.stringContaining('{"action":"decline"}'),
      ])
      expect(askedWith(rig, 'Ana').at(-1)?.replaceAll('\\', '')).toContain('{"action":"decline"}')
      await rig.agree(session.sessionId)
    })
  },
)
