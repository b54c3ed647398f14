// What a person answers beside yes and no, on the real Codex: a question of the model, a form of an MCP server.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codexEnvironment, type Environment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'
import { realBench, writeMcpConfig } from './real-bench'
import type { Bench } from './rig/harness'
import { Recorder, type Turn } from './rig/recorder'

const { codex } = await findRealBackends('codex')
const bin = 'skipped' in codex ? null : codex.bin

/** Outside of its plan mode the model may ask only where the owner's configuration says so. */
function withQuestions(modelUrl: string): Environment {
  const surroundings = codexEnvironment(modelUrl)
  const config = join(surroundings.env.CODEX_HOME ?? '', 'config.toml')
  appendFileSync(config, '\n[features]\ndefault_mode_request_user_input = true\n')
  return surroundings
}

const resultsOf = ({ outputs }: Turn) =>
  outputs.flatMap((output) => (output.kind === 'tool_result' ? [output.output] : []))

describe.skipIf(bin === null)('codex, the real program', { timeout: 60_000 }, () => {
  let bench: Bench
  let model: ModelServer
  beforeAll(async () => {
    bench = await realBench({
      startModel: async () => {
        model = await startResponsesModel()
        return model
      },
      surround: withQuestions,
      adapterFor: createCodexAdapter,
      bin: bin ?? '',
    })
  })
  afterAll(() => bench.dispose())

  it.each([
    [
      'answered',
      { decision: 'allow', updatedInput: { content: { name: 'Ana' } } },
      { action: 'accept', content: { name: 'Ana' } },
    ],
    ['declined', { decision: 'deny' }, { action: 'decline' }],
  ] as const)('[PERM-2] a form of an MCP server that is %s reaches the server', async (_what, decision, reply) => {
    const mcpConfigPath = writeMcpConfig(bench.otherDir, 'asking')
    const process = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, mcpConfigPath })
    const recorder = new Recorder(bench.adapter, process)
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const call = { name: 'ask', namespace: 'mcp__asking', input: { message: 'Your name?', schema } }
    const text = script([{ tools: [call] }, { text: 'Thanks.' }])
    const turn = await recorder.turn(text, ({ toolName, meta }) => {
      if (toolName === 'mcp__asking__ask') return { decision: 'allow' }
      expect(toolName).toBe('mcp__asking__elicitation')
      expect(meta?.form).toEqual({
        from: 'asking',
        message: 'Your name?',
        fields: [{ kind: 'text', name: 'name', label: 'name', required: true }],
      })
      return decision
    })
    const [result] = resultsOf(turn).at(-1) as [{ text: string }]
    expect(JSON.parse(result.text)).toEqual(reply)
    await bench.adapter.stop(process)
  })

  it.each([
    ['an option', 'Red', ['Red']],
    ['own words', 'Green', ['None of the above', 'user_note: Green']],
  ])(
    '[PERM-2] a question that is answered by %s reaches the model as from its terminal',
    async (_what, answer, written) => {
      const process = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir })
      const recorder = new Recorder(bench.adapter, process)
      const options = [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ]
      const questions = [{ id: 'q1', header: 'Colour', question: 'Which?', options }]
      const text = script([{ tool: 'request_user_input', input: { questions } }, { text: 'Thanks.' }])
      const turn = await recorder.turn(text, ({ input, meta }) => {
        expect(meta?.form).toMatchObject({ fields: [{ kind: 'choice', name: 'q1', label: 'Which?', ownAnswer: true }] })
        return { decision: 'allow', updatedInput: { ...(input as object), answers: { q1: answer } } }
      })
      expect(turn.asks).toHaveLength(1)
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain(
        JSON.stringify(JSON.stringify({ answers: { q1: { answers: written } } })).slice(1, -1),
      )
      await bench.adapter.stop(process)
    },
  )
})
