// What a person hears when the model service refuses, on the real programs with their own number of attempts.
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import {
  type AdapterContext,
  type BackendAdapter,
  type BackendOutput,
  promptIn,
  type TurnCompleteInfo,
} from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment, type Environment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import type { Step } from '../../../e2e/real-backends/model-servers/script.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import { realBench } from './real-bench'
import type { Bench } from './rig/harness'
import { Recorder, type Turn } from './rig/recorder'

const { claude, codex } = await findRealBackends('claude', 'codex')
const claudeBin = 'skipped' in claude ? null : claude.bin
const codexBin = 'skipped' in codex ? null : codex.bin

interface Program {
  startModel(): Promise<ModelServer>
  surround(modelUrl: string): Environment
  adapterFor(context: AdapterContext): BackendAdapter
  bin: string | null
}
const program = {
  claude: {
    startModel: startAnthropicModel,
    surround: (url) => withoutLimit(claudeEnvironment(url)),
    adapterFor: createClaudeAdapter,
    bin: claudeBin,
  },
  subscribed: {
    startModel: startAnthropicModel,
    surround: (url) => subscribed(withoutLimit(claudeEnvironment(url))),
    adapterFor: createClaudeAdapter,
    bin: claudeBin,
  },
  codex: {
    startModel: startResponsesModel,
    surround: codexEnvironment,
    adapterFor: createCodexAdapter,
    bin: codexBin,
  },
} satisfies Record<string, Program>

/** With as few attempts as other tests. */
const quick = { ...program.claude, surround: claudeEnvironment }

function withoutLimit(environment: Environment): Environment {
  const { CLAUDE_CODE_MAX_RETRIES: _tests, ...env } = environment.env
  return { ...environment, env }
}

function subscribed(environment: Environment): Environment {
  const { ANTHROPIC_API_KEY: _key, ...env } = environment.env
  return { ...environment, env: { ...env, CLAUDE_CODE_OAUTH_TOKEN: 'scripted-login' } }
}

const open: Bench[] = []
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose()
})

async function start({ startModel, surround, adapterFor, bin }: Program): Promise<Recorder> {
  const bench = await realBench({ startModel, surround, adapterFor, bin: bin ?? '' })
  open.push(bench)
  return new Recorder(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir }))
}

interface Failed {
  info: TurnCompleteInfo
  tookMs: number
  next: Turn
  /** What was told of both turns, as far as the program's own record has its kind, and what that record says. */
  told: BackendOutput[]
  recorded: BackendOutput[]
}

/** The end of a turn whose model call fails so, and the one after it. */
async function failed(from: Program, step: Step): Promise<Failed> {
  const recorder = await start(from)
  const begun = Date.now()
  const { info } = await recorder.turn(script([step as object]))
  const tookMs = Date.now() - begun
  const next = await recorder.turn(script([{ text: 'recovered' }]))
  await recorder.process.kill()
  const id = recorder.all('session')[0]?.backendSessionId ?? ''
  const recorded = ((await recorder.adapter.readSession?.(id)) ?? []).filter((output) => promptIn(output) === null)
  const groupOf = (output: BackendOutput) => (output.kind === 'system' ? output.subtype : output.kind)
  const groups = new Set(recorded.map(groupOf))
  const told = recorder.all('output').flatMap(({ output }) => (groups.has(groupOf(output)) ? [output] : []))
  return { info, tookMs, next, told: told.map(withoutBlock), recorded: recorded.map(withoutBlock) }
}

/** No record keeps it. */
function withoutBlock(output: BackendOutput): BackendOutput {
  if (output.kind !== 'assistant_text' && output.kind !== 'thinking') return output
  const { blockId: _block, ...rest } = output
  return rest
}

const resetsAt = Math.floor(Date.now() / 1000) + 7_200

describe.skipIf(claudeBin === null)('claude, the real program', { timeout: 60_000 }, () => {
  it('[LOG-7] a refused key is called so within seconds, not after ten attempts, and the session goes on', async () => {
    const { info, tookMs, next } = await failed(program.claude, { error: 401, message: 'invalid x-api-key' })
    expect(info).toMatchObject({ reason: 'failed', error: { code: 'BACKEND_AUTH' } })
    expect(info.error?.message).toContain('authentication_failed')
    expect(tookMs).toBeLessThan(15_000)
    expect(next).toMatchObject({ text: 'recovered', info: { reason: 'completed' } })
  })

  it('[LOG-7] a conversation that is too long has a code of its own', async () => {
    const step = { error: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }
    const { info } = await failed(program.claude, step)
    expect(info).toMatchObject({ reason: 'failed', error: { code: 'CONVERSATION_TOO_LONG' } })
    expect(info.error?.message).toContain('Prompt is too long')
  })

  it('[LOG-7] the limit of a subscription carries the time at which it ends', async () => {
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    }
    const { info } = await failed(program.subscribed, { error: 429, headers, message: 'rate limited' })
    expect(info).toMatchObject({
      reason: 'failed',
      error: { code: 'BACKEND_QUOTA', resetsAt: resetsAt * 1000 },
    })
    expect(info.error?.message).toContain('5-hour limit')
  })
})

describe.skipIf(claudeBin === null || codexBin === null)('both real programs', { timeout: 60_000 }, () => {
  const calls = [
    ['claude', 429],
    ['codex', 400],
    ['claude', 401],
    ['claude', 400],
    ['codex', 401],
  ] as const
  it.each(wholeMatrix ? calls : calls.slice(0, 2))(
    '[RES-9] %s: a model call that fails with %d is the same thing in its record as it was when it was told',
    async (kind, error) => {
      const { told, recorded } = await failed(kind === 'codex' ? program.codex : quick, { error, message: 'refused' })
      expect(recorded.length).toBeGreaterThan(0)
      expect(recorded).toEqual(told)
    },
  )
})

describe.skipIf(codexBin === null)('codex, the real program', { timeout: 60_000 }, () => {
  it('[LOG-7] a refused key is called so at once, in its own words', async () => {
    const step = { error: 401, message: 'Incorrect API key provided.', fields: { code: 'invalid_api_key' } }
    const { info, tookMs } = await failed(program.codex, step)
    expect(info).toMatchObject({ reason: 'failed', error: { code: 'BACKEND_AUTH' } })
    expect(info.error?.message).toContain('Incorrect API key provided.')
    expect(tookMs).toBeLessThan(15_000)
  })

  it('[LOG-7] a conversation that is too long has a code of its own', async () => {
    const step = { streamError: 'context_length_exceeded', message: 'Your input exceeds the context window.' }
    const { info } = await failed(program.codex, step)
    expect(info).toMatchObject({ reason: 'failed', error: { code: 'CONVERSATION_TOO_LONG' } })
  })

  it('[LOG-7] the limit of a subscription carries the time at which it ends', async () => {
    const headers = {
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': String(resetsAt),
    }
    const step = { error: 429, type: 'usage_limit_reached', headers, fields: { plan_type: 'plus' } }
    const { info } = await failed(program.codex, step)
    expect(info).toMatchObject({
      reason: 'failed',
      error: { code: 'BACKEND_QUOTA', resetsAt: resetsAt * 1000 },
    })
  })
})
