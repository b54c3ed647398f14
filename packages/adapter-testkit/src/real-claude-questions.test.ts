// What a person answers beside yes and no, on the real Claude Code: the answers of a question, the mode of a plan.
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { script } from '@roundhouse/adapter-scripted'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench, writeMcpConfig } from './real-bench'
import type { Bench } from './rig/harness'
import { Recorder, type Turn } from './rig/recorder'
import { contentOf } from './suite/kit'

const { claude } = await findRealBackends('claude')
const bin = 'skipped' in claude ? null : claude.bin

const resultsOf = ({ outputs }: Turn) =>
  outputs.flatMap((output) => (output.kind === 'tool_result' ? [output.output] : []))

describe.skipIf(bin === null)('claude, the real program', { timeout: 60_000 }, () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await realBench({
      startModel: startAnthropicModel,
      surround: claudeEnvironment,
      adapterFor: createClaudeAdapter,
      bin: bin ?? '',
    })
  })
  afterAll(() => bench.dispose())

  async function start(options: object): Promise<Recorder> {
    const spawned = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, ...options })
    return new Recorder(bench.adapter, spawned)
  }

  it('[PERM-2] takes the answers of a question from their own field', async () => {
    const recorder = await start({})
    const options = [
      { label: 'Red', description: 'Like fire' },
      { label: 'Blue', description: 'Like water' },
    ]
    const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }]
    const text = script([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }])
    const turn = await recorder.turn(text, ({ input, meta }) => {
      expect(meta?.answerFields).toEqual({ field: 'answers', names: ['Which colour?'] })
      return { decision: 'allow', updatedInput: { ...(input as object), answers: { 'Which colour?': 'Blue' } } }
    })
    expect(turn.asks.map(({ toolName }) => toolName)).toEqual(['AskUserQuestion'])
    expect(resultsOf(turn)).toEqual([
      'Your questions have been answered: "Which colour?"="Blue". You can now continue with these answers in mind.',
    ])
    await bench.adapter.stop(recorder.process)
  })

  it('[PERM-2] tells the model several choices and own words as its terminal does', async () => {
    const recorder = await start({})
    const options = [
      { label: 'Red, dark', description: 'Like wine' },
      { label: 'Blue', description: 'Like water' },
    ]
    const questions = [
      { question: 'Which colours?', header: 'Colour', options, multiSelect: true },
      { question: 'Which size?', header: 'Size', options, multiSelect: false },
    ]
    const answers = { 'Which colours?': ['Red, dark', 'Blue'], 'Which size?': 'As large as it gets' }
    const turn = await recorder.turn(
      script([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }]),
      ({ input }) => ({ decision: 'allow', updatedInput: { ...(input as object), answers } }),
    )
    expect(resultsOf(turn)).toEqual([
      expect.stringContaining('"Which colours?"=""Red, dark", Blue", "Which size?"="As large as it gets"'),
    ])
    await bench.adapter.stop(recorder.process)
  })

  it.each([
    [
      'answered',
      { decision: 'allow', updatedInput: { content: { name: 'Ana' } } },
      { action: 'accept', content: { name: 'Ana' } },
    ],
    ['declined', { decision: 'deny' }, { action: 'decline' }],
  ] as const)('[PERM-2] a form of an MCP server that is %s reaches the server', async (_what, decision, reply) => {
    const mcpConfigPath = writeMcpConfig(bench.otherDir, 'asking')
    const recorder = await start({ mcpConfigPath, allowedTools: ['mcp__asking__ask'] })
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const text = script([{ tool: 'mcp__asking__ask', input: { message: 'Your name?', schema } }, { text: 'Thanks.' }])
    const turn = await recorder.turn(text, ({ toolName, meta }) => {
      expect(toolName).toBe('mcp__asking__elicitation')
      expect(meta?.form).toEqual({
        from: 'asking',
        message: 'Your name?',
        fields: [{ kind: 'text', name: 'name', label: 'name', required: true }],
      })
      return decision
    })
    const [result] = resultsOf(turn) as [[{ text: string }]]
    expect(JSON.parse(result[0].text)).toEqual(reply)
    await bench.adapter.stop(recorder.process)
  })

  it('[PERM-2] a form that is answered by the end of the turn ends it', async () => {
    const mcpConfigPath = writeMcpConfig(bench.otherDir, 'asking')
    const recorder = await start({ mcpConfigPath, allowedTools: ['mcp__asking__ask'] })
    const input = { message: 'Your name?', schema: { type: 'object', properties: {} } }
    const turn = await recorder.turn(script([{ tool: 'mcp__asking__ask', input }, { text: 'Never.' }]), () => ({
      decision: 'abort',
    }))
    expect([turn.info.reason, turn.text]).toEqual(['interrupted', ''])
    await bench.adapter.stop(recorder.process)
  })

  it('[PERM-2] a plan is shown from its call, and what is said against it reaches the model', async () => {
    const recorder = await start({ mode: 'plan' })
    const text = script([{ tool: 'ExitPlanMode', input: { plan: '# The plan' } }, { text: 'I plan on.' }])
    const turn = await recorder.turn(text, ({ meta }) => {
      expect(meta?.plan).toEqual({ text: '# The plan', modes: { ask: 'default', acceptEdits: 'acceptEdits' } })
      return { decision: 'deny', reason: 'Tests come first.' }
    })
    expect(resultsOf(turn)).toEqual([expect.stringContaining('Tests come first.')])
    await bench.adapter.stop(recorder.process)
  })

  it.each([
    ['with edits accepted writes without asking', 'acceptEdits', 1],
    ['as it is asks for each edit', undefined, 2],
  ])('[PERM-2] a plan that is approved %s', async (_what, mode, asks) => {
    const recorder = await start({ mode: 'plan' })
    const file = join(bench.workDir, `planned-${asks}.txt`)
    const text = script([
      { tool: 'ExitPlanMode', input: { plan: '1. Write it.' } },
      { tool: 'Write', input: { file_path: file, content: 'planned' } },
      { text: 'Done.' },
    ])
    const turn = await recorder.turn(text, ({ toolName }) => ({
      decision: 'allow',
      ...(mode !== undefined && toolName === 'ExitPlanMode' ? { mode } : {}),
    }))
    expect(turn.asks.map(({ toolName }) => toolName)).toEqual(['ExitPlanMode', 'Write'].slice(0, asks))
    expect(contentOf(file)).toBe('planned')
    await bench.adapter.stop(recorder.process)
  })
})
