/** The real OpenCode and what the machine's policy denies by name: it reads inside its folder without asking anybody. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { opencodeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startChatModel } from '../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { realBench } from './real-bench'
import { collect } from './rig/recorder'

const { opencode } = await findRealBackends('opencode')
let workDir: string
beforeEach(() => {
  workDir = realpathSync(mkdtempSync(join(tmpdir(), 'roundhouse-denied-')))
  mkdirSync(join(workDir, 'secret'))
  writeFileSync(join(workDir, 'secret/key.txt'), 'the-hidden-word')
})
afterEach(() => rmSync(workDir, { recursive: true, force: true }))

/** What its tool gave, when nobody answers its requests. */
async function resultWith(denied: readonly string[], tool: string, input: object) {
  const deny = { tools: [], paths: denied.map((name) => join(workDir, name)) }
  const bench = await realBench({
    startModel: startChatModel,
    surround: opencodeEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.opencode, profile: profiles.opencode }, { ...context, deny }),
    bin: 'bin' in opencode ? opencode.bin : '',
  })
  try {
    const recorder = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir }))
    const turn = await recorder.turn(script([{ tool, input }, { text: 'Done.' }]), () => ({ decision: 'deny' }))
    await bench.adapter.stop(recorder.process)
    return { asks: turn.asks.length, said: JSON.stringify(turn.outputs) }
  } finally {
    await bench.dispose()
  }
}

describe.skipIf('skipped' in opencode)('the real opencode', { timeout: 120_000 }, () => {
  it('[POL-1] [A43] reads a file of its folder unasked, and no denied one', async () => {
    const input = { filePath: join(workDir, 'secret/key.txt') }
    const hidden = expect.stringContaining('the-hidden-word')
    expect(await resultWith(['elsewhere'], 'read', input)).toEqual({ asks: 0, said: hidden })
    expect(await resultWith(['secret'], 'read', input)).toEqual({
      asks: 0,
      said: expect.not.stringContaining('hidden-w'),
    })
  })

  it('[POL-1] [A43] asks before it searches where something is denied', async () => {
    const input = { pattern: 'hidden' }
    expect(await resultWith(['secret'], 'grep', input)).toEqual({
      asks: 1,
      said: expect.not.stringContaining('the-hidden-word'),
    })
  })
})
