// An MCP server that does not start, on the real Claude Code: it is named with the program's own reason.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { script } from '@roundhouse/adapter-scripted'
import { expect, it } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench } from './real-bench'
import { Recorder } from './recorder'

const { claude } = await findRealBackends()
const bin = 'skipped' in claude ? null : claude.bin

it.skipIf(bin === null)('an MCP server that did not start is named, with the reason', { timeout: 60_000 }, async () => {
  const bench = await realBench({
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    adapterFor: createClaudeAdapter,
    bin: bin ?? '',
  })
  const mcpConfigPath = join(bench.otherDir, 'broken.json')
  writeFileSync(mcpConfigPath, JSON.stringify({ mcpServers: { sums: { command: '/nowhere/sums', args: [] } } }))
  const spawned = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, mcpConfigPath })
  const recorder = new Recorder(bench.adapter, spawned)
  try {
    await recorder.turn(script([{ text: 'Hello.' }]))
    const named = await recorder.wait(
      'output',
      ({ output }) => output.kind === 'system' && output.subtype === 'mcp_server_failed',
    )
    expect(named.output).toMatchObject({ data: { name: 'sums', message: expect.stringContaining('ENOENT') } })
  } finally {
    await bench.adapter.stop(spawned)
    await bench.dispose()
  }
})
