/** The real Claude Code and what the machine's policy denies by name: it reads inside its folder without asking anybody. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench } from './real-bench'
import { allowAll, collect, type Decider } from './rig/recorder'

const { claude } = await findRealBackends('claude')
let workDir: string
beforeEach(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'roundhouse-denied-')))
  mkdirSync(join(workDir, 'secret'))
  writeFileSync(join(workDir, 'secret/key.txt'), 'the-hidden-word')
})
afterEach(() => rmSync(workDir, { recursive: true, force: true }))

async function turnWith(denied: readonly string[], tool: string, input: object, decider?: Decider) {
  const deny = { tools: [], paths: denied.map((name) => join(workDir, name)) }
  const bench = await realBench({
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    adapterFor: (context) => createClaudeAdapter({ ...context, deny }),
    bin: 'bin' in claude ? claude.bin : '',
  })
  try {
    const spawned = await bench.adapter.spawn({ sessionId: 's', workDir, mode: 'acceptEdits' })
    const recorder = collect(bench.adapter, spawned)
    await recorder.turn(script([{ tool, input }, { text: 'Done.' }]), decider)
    await bench.adapter.stop(recorder.process)
    return JSON.stringify(recorder.events)
  } finally {
    await bench.dispose()
  }
}

describe.skipIf('skipped' in claude)('the real claude', { timeout: 60_000 }, () => {
  it('[POL-1] [A43] reads a file of its folder unasked, and no denied one', async () => {
    const input = { file_path: join(workDir, 'secret/key.txt') }
    expect(await turnWith([], 'Read', input)).toContain('the-hidden-word')
    expect(await turnWith(['secret'], 'Read', input)).not.toContain('the-hidden-word')
  })

  it('[POL-1] [A43] writes in its folder unasked where edits are accepted, and no denied file', async () => {
    const input = { file_path: join(workDir, 'secret/new.txt'), content: 'x' }
    await turnWith(['secret'], 'Write', input)
    expect(existsSync(input.file_path)).toBe(false)
    await turnWith(['elsewhere'], 'Write', input)
    expect(existsSync(input.file_path)).toBe(true)
  })

  it('[POL-4] [A43] runs no command that names a denied file, although it only reads and is allowed', async () => {
    const input = { command: `cat ${join(workDir, 'secret/key.txt')}`, description: 'Read a file' }
    expect(await turnWith([], 'Bash', input, allowAll)).toContain('the-hidden-word')
    expect(await turnWith(['secret'], 'Bash', input, allowAll)).not.toContain('the-hidden-word')
  })
})
