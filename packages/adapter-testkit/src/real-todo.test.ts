// The model's to-do list on both real programs, as `plan` events.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import type { BackendOutput, SpawnOptions } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { type RealProgram, realBench } from './real-bench'
import { allowAll, Recorder } from './rig/recorder'

const found = await findRealBackends('claude', 'codex')
const binOf = (kind: 'claude' | 'codex') => ('bin' in found[kind] ? found[kind].bin : '')
const claude = {
  startModel: startAnthropicModel,
  surround: claudeEnvironment,
  adapterFor: createClaudeAdapter,
  bin: binOf('claude'),
}
/** Codex has the tool where its configuration says so. */
const codex = {
  startModel: startResponsesModel,
  surround: (url: string) => {
    const place = codexEnvironment(url)
    const file = join(place.env.CODEX_HOME ?? '', 'config.toml')
    appendFileSync(file, '\n[tools]\nupdate_plan = { enabled = true }\n')
    return place
  },
  adapterFor: createCodexAdapter,
  bin: binOf('codex'),
}

const ended = { text: 'Listed.' }
const plansIn = (outputs: readonly BackendOutput[]) =>
  outputs.flatMap((output) => (output.kind === 'plan' ? [output.items] : []))

async function plansOf(program: RealProgram, steps: object[], options: Partial<SpawnOptions> = {}) {
  const bench = await realBench(program)
  const spawned = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, ...options })
  try {
    const { outputs } = await new Recorder(bench.adapter, spawned).turn(script([...steps, ended]), allowAll)
    return plansIn(outputs)
  } finally {
    await bench.adapter.stop(spawned)
    await bench.dispose()
  }
}
const step = (text: string, status: string) => ({ text, status })
const patience = { timeout: 60_000 }
/** The program gives its to-do tools to models that know them. */
const model = 'claude-sonnet-4-5'

it.skipIf(claude.bin === '')('Claude Code: tasks that are created and changed one by one', patience, async () => {
  const plans = await plansOf(
    claude,
    [
      { tool: 'TaskCreate', input: { subject: 'Read', description: 'Read it.' } },
      { tool: 'TaskCreate', input: { subject: 'Write', description: 'Write it.' } },
      { tool: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } },
    ],
    { model },
  )
  expect(plans).toEqual([
    [step('Read', 'pending')],
    [step('Read', 'pending'), step('Write', 'pending')],
    [step('Read', 'in_progress'), step('Write', 'pending')],
  ])
})

it.skipIf(claude.bin === '')(
  'Claude Code: the list goes on behind a resume, and ends with its conversation',
  patience,
  async () => {
    const bench = await realBench(claude)
    const playing = async (options: Partial<SpawnOptions>, play: (recorder: Recorder) => Promise<unknown>) => {
      const spawned = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, model, ...options })
      const recorder = new Recorder(bench.adapter, spawned)
      await play(recorder)
      await bench.adapter.stop(spawned)
      return recorder
    }
    const creates = (subject: string) => ({ tool: 'TaskCreate', input: { subject, description: `${subject} it.` } })
    const done = { tool: 'TaskUpdate', input: { taskId: '1', status: 'completed' } }
    try {
      const first = await playing({}, (recorder) => recorder.turn(script([creates('Read'), creates('Write'), ended])))
      const resumeId = first.all('session').at(-1)?.backendSessionId ?? ''
      const second = await playing({ resumeId }, async (recorder) => {
        await recorder.turn(script([done, ended]))
        await recorder.turn('/clear')
        await recorder.turn(script([creates('Begin'), ended]))
      })
      expect(plansIn(second.all('output').map(({ output }) => output))).toEqual([
        [step('Read', 'completed'), step('Write', 'pending')],
        [step('Begin', 'pending')],
      ])
    } finally {
      await bench.dispose()
    }
  },
)

it.skipIf(claude.bin === '')('Claude Code: a list that is written as a whole', patience, async () => {
  const todos = [{ content: 'Read', status: 'in_progress', activeForm: 'Reading' }]
  const plans = await plansOf(claude, [{ tool: 'TodoWrite', input: { todos } }], {
    model,
    env: { CLAUDE_CODE_ENABLE_TASKS: '0' },
  })
  expect(plans).toEqual([[step('Read', 'in_progress')]])
})

it.skipIf(claude.bin === '')('Claude Code: a list that the program refused is none', patience, async () => {
  const todos = [{ content: 'Read', status: 'in_progress', activeForm: 'Reading' }]
  const made = { tool: 'TaskCreate', input: { subject: 'Read', description: 'Read it.' } }
  expect(await plansOf(claude, [made, { tool: 'TodoWrite', input: { todos } }], { model: 'claude-opus-5-5' })).toEqual(
    [],
  )
})

it.skipIf(codex.bin === '')('Codex: a list that is written as a whole, again and again', patience, async () => {
  const writes = (...plan: object[]) => ({ tool: 'update_plan', input: { plan } })
  const plans = await plansOf(codex, [
    writes({ step: 'Read', status: 'in_progress' }, { step: 'Write', status: 'pending' }),
    writes({ step: 'Read', status: 'completed' }, { step: 'Write', status: 'in_progress' }),
  ])
  expect(plans).toEqual([
    [step('Read', 'in_progress'), step('Write', 'pending')],
    [step('Read', 'completed'), step('Write', 'in_progress')],
  ])
})
