/** The real programs in a repository that wants to run something. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { hostileRepository } from './hostile-repository'
import { type RealProgram, realBench } from './real-bench'
import { collect } from './rig/recorder'

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
