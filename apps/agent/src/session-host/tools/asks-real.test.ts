/** The real Claude Code and Codex ask by the tool of their host, and go on with the command that answers. */
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { ToolWorld } from '../../testing/tool-world'

const found = await findRealBackends('claude', 'codex')
const question = { message: 'Rewrite or patch?', request_id: 'r1', options: [{ id: 'B', label: 'patch' }] }
const programs = {
  claude: {
    found: found.claude,
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    asks: { tool: 'mcp__roundhouse__ask_orchestrator', input: question },
  },
  codex: {
    found: found.codex,
    startModel: startResponsesModel,
    surround: codexEnvironment,
    asks: { tools: [{ name: 'ask_orchestrator', namespace: 'mcp__roundhouse', input: question }] },
  },
} as const

describe.each(['claude', 'codex'] as const)('the real %s', { timeout: 120_000 }, (kind) => {
  const { startModel, surround, asks, ...program } = programs[kind]
  let model: Awaited<ReturnType<typeof startModel>>
  let place: ReturnType<typeof surround>
  let tools: ToolWorld
  beforeEach(async () => {
    model = await startModel()
    place = surround(model.url)
    tools = await ToolWorld.create()
  })
  afterEach(async () => {
    await tools.dispose()
    await model.close()
    place.remove()
  })

  it.skipIf('skipped' in program.found)(
    '[TOOL-4.1] asks, waits without a question to a person, and reads the answer of the command',
    async () => {
      const { world } = tools
      const backends = { [kind]: { binaryPath: 'bin' in program.found ? program.found.bin : '' } }
      const host = await tools.open(place.env, { backends })
      await host.run(world.create({ backend: kind }))
      // Codex does not wait for its servers: its first request may know no tool of them.
      await host.run(world.prompt(script([{ text: 'Here.' }])))
      const asked = world.prompt(`Go on. SCRIPT: ${JSON.stringify([asks, { text: 'Patched.' }])}`)
      await host.client.command(asked)
      await host.until(() => world.of('published').length === 1)
      const answer = { kind: 'program.tell', name: 'approve', correlationId: 'r1', data: { chosen: 'B' } } as const
      expect(await host.run(world.command(answer))).toEqual({ state: 'done' })
      expect(await host.result(asked.commandId)).toEqual({ state: 'done' })
      const [result] = world.of('tool_result')
      expect(JSON.stringify(result?.output).replaceAll('\\', '')).toContain(
        '"command":"approve","r":"r1","data":{"chosen":"B"}',
      )
      expect(world.of('assistant_text').at(-1)?.text).toBe('Patched.')
      expect([world.of('permission_requested'), world.of('user_message').length]).toEqual([[], 2])
    },
  )
})
