/** The real programs in a repository that wants to run something. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  claudeEnvironment,
  codexEnvironment,
  geminiEnvironment,
  opencodeEnvironment,
} from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startGeminiModel } from '../../../e2e/real-backends/model-servers/gemini.mjs'
import { startChatModel } from '../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import { hostileRepository } from './hostile-repository'
import { type RealProgram, realBench } from './real-bench'
import { allowAll, collect } from './rig/recorder'

const found = await findRealBackends()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-hostile-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('the repository runs what it can where git is asked without care', () => {
  const { workDir, ran } = hostileRepository(folder, 'careless')
  execFileSync('git', ['-C', workDir, 'status', '--short'], { stdio: 'ignore' })
  expect(ran()).toEqual(expect.arrayContaining(['filter', 'fsmonitor']))
})

const programs: Record<'claude' | 'codex', Omit<RealProgram, 'bin'>> = {
  claude: { startModel: startAnthropicModel, surround: claudeEnvironment, adapterFor: createClaudeAdapter },
  codex: { startModel: startResponsesModel, surround: codexEnvironment, adapterFor: createCodexAdapter },
}

/**
 * What a program does by itself and cannot be told not to. Codex 0.169 asks `git status` at each turn, without hooks and
 * fsmonitor but with the filters that the folder's own `.git/config` names (no clone brings that file). Named in
 * docs/reliability.md.
 */
const itself: Record<'claude' | 'codex', readonly string[]> = { claude: [], codex: ['filter'] }

describe.each(['claude', 'codex'] as const)('the real %s', (kind) => {
  const program = found[kind]
  it.skipIf('skipped' in program)(
    '[T64] opens it, works in it and comes back to it without running any of its programs',
    { timeout: 60_000 },
    async () => {
      const { workDir, ran } = hostileRepository(folder, kind)
      const bench = await realBench({ ...programs[kind], bin: 'bin' in program ? program.bin : '' })
      try {
        const first = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir }))
        await first.turn(script([{ text: 'Hello.' }]))
        const [session] = first.all('session')
        await bench.adapter.stop(first.process)
        const resumeId = session?.backendSessionId ?? ''
        const again = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir, resumeId }))
        await again.turn(script([{ text: 'Hello again.' }]))
        await bench.adapter.stop(again.process)
      } finally {
        await bench.dispose()
      }
      expect(ran().filter((one) => !itself[kind].includes(one))).toEqual([])
    },
  )
})

const acp = {
  opencode: {
    startModel: startChatModel,
    surround: opencodeEnvironment,
    step: (command: string) => ({ tool: 'bash', input: { command, description: 'scripted command' } }),
  },
  gemini: {
    startModel: startGeminiModel,
    // Its owner trusts all folders, or a program without our guard would not trust this one either.
    surround: (modelUrl: string) => {
      const place = geminiEnvironment(modelUrl)
      const trusted = join(String(place.env.HOME), '.gemini', 'trustedFolders.json')
      writeFileSync(trusted, JSON.stringify({ [tmpdir()]: 'TRUST_FOLDER' }))
      return place
    },
    step: (command: string) => ({ tool: 'run_shell_command', input: { command, description: 'scripted command' } }),
  },
} as const

/** One command in a repository that allows everything and names an MCP server: how often was asked, and what of it ran. */
async function playIn(name: string, kind: keyof typeof acp, guarded: boolean) {
  const { workDir, ran } = hostileRepository(folder, name)
  const { step, ...program } = acp[kind]
  const profile = profiles[kind]
  // The launch as a program has it that knows nothing of guards.
  const careless = { ...profile, guard: { ...profile.guard, env: {}, distrust: {} }, says: { ...profile.says } }
  careless.says.env = () => ({})
  const used = guarded ? profile : careless
  const bin = 'bin' in found[kind] ? found[kind].bin : ''
  const adapterFor: RealProgram['adapterFor'] = (context) =>
    createAcpAdapter({ ...about[kind], profile: used }, context)
  const bench = await realBench({ ...program, adapterFor, bin })
  try {
    const recorder = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir }))
    const turn = await recorder.turn(script([step('echo ran > ran.txt'), { text: 'Done.' }]), allowAll)
    await bench.adapter.stop(recorder.process)
    return { asks: turn.asks.length, ran: ran() }
  } finally {
    await bench.dispose()
  }
}

describe.each(['opencode', 'gemini'] as const)('the real %s', (kind) => {
  it.skipIf('skipped' in found[kind])(
    '[T64] asks about a command, and starts nothing of a repository that allows everything',
    { timeout: 120_000 },
    async () => {
      expect(await playIn(kind, kind, true)).toEqual({ asks: 1, ran: [] })
    },
  )
})

// That the repository does what it can is seen in `npm run matrix`.
it.skipIf(!wholeMatrix || 'skipped' in found.opencode)(
  'without our guard the same repository runs its program in OpenCode, and its command unasked',
  { timeout: 120_000 },
  async () => {
    const { asks, ran } = await playIn('careless-opencode', 'opencode', false)
    expect([asks, ran]).toEqual([0, expect.arrayContaining(['mcp'])])
  },
)

it.skipIf(!wholeMatrix || 'skipped' in found.gemini)(
  'without our guard the same repository runs its program in Gemini CLI, where its owner trusted the folder',
  { timeout: 120_000 },
  async () => {
    expect((await playIn('careless-gemini', 'gemini', false)).ran).toEqual(['mcp'])
  },
)
