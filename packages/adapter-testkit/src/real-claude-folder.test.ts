/** The real Claude Code runs a command in the folder that its question showed, wherever an earlier command went. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench } from './real-bench'
import type { Bench } from './rig/harness'
import { allowAll, collect } from './rig/recorder'

const { claude } = await findRealBackends('claude')
let bench: Bench
beforeEach(async () => {
  const bin = 'bin' in claude ? claude.bin : ''
  const adapterFor = createClaudeAdapter
  bench = await realBench({ startModel: startAnthropicModel, surround: claudeEnvironment, adapterFor, bin })
})
afterEach(() => bench.dispose())

it.skipIf('skipped' in claude)(
  '[A25] [A26] the real claude goes back to the folder of the session after each command',
  { timeout: 60_000 },
  async () => {
    const { adapter, workDir } = bench
    mkdirSync(join(workDir, 'sub'))
    writeFileSync(join(workDir, 'run.sh'), 'echo the-file-that-was-shown')
    writeFileSync(join(workDir, 'sub/run.sh'), 'echo another-file')
    const env = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '0' }
    const recorder = collect(adapter, await adapter.spawn({ sessionId: 's', workDir, env }))
    const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'One command' } })
    const { asks, outputs } = await recorder.turn(
      script([bash('cd sub'), bash('sh run.sh'), { text: 'Done.' }]),
      allowAll,
    )
    await adapter.stop(recorder.process)
    expect(asks.at(-1)).toMatchObject({ input: { command: 'sh run.sh' }, meta: { cwd: workDir } })
    const results = JSON.stringify(outputs.filter(({ kind }) => kind === 'tool_result'))
    expect(results).toContain('the-file-that-was-shown')
    expect(results).not.toContain('another-file')
  },
)
