/**
 * The real OpenCode and Gemini CLI, and what the machine's policy denies by name. By themselves they read inside of their folder without
 * asking anybody.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { geminiEnvironment, opencodeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startGeminiModel } from '../../../e2e/real-backends/model-servers/gemini.mjs'
import { startChatModel } from '../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { type RealProgram, realBench } from './real-bench'
import { collect } from './rig/recorder'

const { opencode, gemini } = await findRealBackends('opencode', 'gemini')
let workDir: string
beforeEach(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'roundhouse-denied-')))
  mkdirSync(join(workDir, 'secret'))
  writeFileSync(join(workDir, 'secret/key.txt'), 'the-hidden-word')
})
afterEach(() => rmSync(workDir, { recursive: true, force: true }))

type Call = { tool: string; input: object }

/** What became of each call while everybody is refused: how often was asked, what the host may judge by itself, what the model was told. */
async function playWith(program: RealProgram, denied: readonly string[], calls: readonly Call[]) {
  const deny = { tools: [], paths: denied.map((name) => join(workDir, name)) }
  const adapterFor: RealProgram['adapterFor'] = (context) => program.adapterFor({ ...context, deny })
  const bench = await realBench({ ...program, adapterFor })
  try {
    const recorder = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir }))
    const seen = []
    for (const call of calls) {
      const turn = await recorder.turn(script([call, { text: 'Done.' }]), () => ({ decision: 'deny' }))
      const isTold = JSON.stringify(bench.requests?.().at(-1)).includes('the-hidden-word')
      const rules = turn.asks[0]?.meta?.byOwnRules
      seen.push({ asks: turn.asks.length, isTold, host: rules && (rules.reads ?? 'judges the command') })
    }
    await bench.adapter.stop(recorder.process)
    return seen
  } finally {
    await bench.dispose()
  }
}

describe.skipIf('skipped' in opencode)('the real opencode', { timeout: 120_000 }, () => {
  const program: RealProgram = {
    startModel: startChatModel,
    surround: opencodeEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.opencode, profile: profiles.opencode }, context),
    bin: 'bin' in opencode ? opencode.bin : '',
  }

  it('[POL-1] [A43] [PERM-14.1] asks before every look at files, says where, and reads nothing that is denied by name', async () => {
    symlinkSync('secret/key.txt', join(workDir, 'link.txt'))
    const [link, key] = [join(workDir, 'link.txt'), join(workDir, 'secret/key.txt')]
    const calls = [
      { tool: 'read', input: { filePath: link } },
      { tool: 'grep', input: { pattern: 'hidden' } },
      { tool: 'glob', input: { pattern: '*.txt', path: join(workDir, 'secret') } },
      { tool: 'read', input: { filePath: key } },
    ]
    const asked = (host: string) => ({ asks: 1, isTold: false, host })
    expect(await playWith(program, ['secret'], calls)).toEqual([
      asked(link),
      asked(workDir),
      asked(join(workDir, 'secret')),
      { asks: 0, isTold: false, host: undefined },
    ])
  })
})

describe.skipIf('skipped' in gemini)('the real gemini', { timeout: 120_000 }, () => {
  const program: RealProgram = {
    startModel: startGeminiModel,
    surround: geminiEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.gemini, profile: profiles.gemini }, context),
    bin: 'bin' in gemini ? gemini.bin : '',
  }
  const shell = (command: string) => ({ tool: 'run_shell_command', input: { command, description: 'Look' } })
  const read = () => ({ tool: 'read_file', input: { file_path: join(workDir, 'secret/key.txt') } })

  it('[POL-1] [A43] [PERM-14.3] asks before every command, and before every look at files where something is denied', async () => {
    const commands = ['echo hi', 'cat secret/key.txt', 'head -n 1 secret/key.txt', 'grep -r hidden .'].map(shell)
    const elsewhere = { tool: 'run_shell_command', input: { command: 'cat key.txt', dir_path: 'secret' } }
    const search = { tool: 'grep_search', input: { pattern: 'hidden' } }
    const asked = (host?: string) => ({ asks: 1, isTold: false, host })
    expect(await playWith(program, ['secret'], [...commands, elsewhere, search, read()])).toEqual([
      ...commands.map(() => asked('judges the command')),
      asked(),
      asked(),
      asked(join(workDir, 'secret/key.txt')),
    ])
  })

  it('[POL-1] [A43] reads its folder unasked where nothing in it is denied', async () => {
    expect(await playWith(program, [], [read()])).toEqual([{ asks: 0, isTold: true, host: undefined }])
  })
})
