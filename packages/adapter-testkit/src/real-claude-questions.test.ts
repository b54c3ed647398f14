// What a person answers beside yes and no, on the real Claude Code: the answers of a question, the mode of a plan.
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { script } from '@roundhouse/adapter-scripted'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import type { Bench } from './harness'
import { realBench } from './real-bench'
import { Recorder } from './recorder'
import { contentOf } from './suite/kit'

const { claude } = await findRealBackends()
const bin = 'skipped' in claude ? null : claude.bin

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
    const results = turn.outputs.filter(({ kind }) => kind === 'tool_result')
    expect(JSON.stringify(results)).toContain('Blue')
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
