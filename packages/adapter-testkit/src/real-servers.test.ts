// An MCP server that does not start, on both real programs: it is named with the program's own reason.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { realBench } from './real-bench'
import { Recorder } from './rig/recorder'

const found = await findRealBackends('claude', 'codex')
const programs = {
  claude: {
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    adapterFor: createClaudeAdapter,
    reason: /ENOENT/,
  },
  codex: {
    startModel: startResponsesModel,
    surround: codexEnvironment,
    adapterFor: createCodexAdapter,
    reason: /No such file or directory/,
  },
} as const

describe.each(['claude', 'codex'] as const)('%s', (kind) => {
  const { reason, ...program } = programs[kind]
  const bin = 'bin' in found[kind] ? found[kind].bin : ''

  it.skipIf(bin === '')('an MCP server that did not start is named, with the reason', { timeout: 60_000 }, async () => {
    const bench = await realBench({ ...program, bin })
    const mcpConfigPath = join(bench.otherDir, 'broken.json')
    writeFileSync(mcpConfigPath, JSON.stringify({ mcpServers: { sums: { command: '/nowhere/sums', args: [] } } }))
    const spawned = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, mcpConfigPath })
    const recorder = new Recorder(bench.adapter, spawned)
    try {
      expect((await recorder.turn(script([{ text: 'Hello.' }]))).text).toBe('Hello.')
      const named = await recorder.wait(
        'output',
        ({ output }) => output.kind === 'system' && output.subtype === 'mcp_server_failed',
      )
      expect(named.output).toMatchObject({ data: { name: 'sums', message: expect.stringMatching(reason) } })
    } finally {
      await bench.adapter.stop(spawned)
      await bench.dispose()
    }
  })
})
