// The provider contract over the real Claude Code, with a scripted model on loopback.
import { fileURLToPath } from 'node:url'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { claudeEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../../e2e/real-backends/model-servers/anthropic.mjs'
import { variations } from '../../../../scripts/lib/runs/variation.mjs'
import { realBench } from '../real-bench'
import { providerRules } from './provider.suite'

const { claude } = await findRealBackends()
const skipped = 'skipped' in claude ? claude.skipped : undefined
const bench = (bin: string) =>
  realBench({ startModel: startAnthropicModel, surround: claudeEnvironment, adapterFor: createClaudeAdapter, bin })
const prompt = (...steps: Step[]) => ({ text: script(steps) })

// In an ordinary run Claude Code plays the runtime, and the scripted program both contracts.
variations('the provider contract: claude, the real program', () =>
  providerRules({
    name: 'claude',
    ...(skipped === undefined ? {} : { skipped }),
    timeoutMs: 60_000,
    createBench: () => bench('skipped' in claude ? '/nowhere/claude' : claude.bin),
    createWithoutProgram: async () => {
      const empty = await bench('/nowhere/claude')
      await empty.dispose()
      return empty.adapter
    },
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt({ tool: 'Write', input: { file_path: file, content } }, { text: closing }),
        toolName: 'Write',
      }),
      printEnv: (name) =>
        prompt({ tool: 'Bash', input: { command: `printenv ${name}`, description: 'One' } }, { text: 'Done.' }),
    },
    sums: {
      name: 'sums',
      command: process.execPath,
      args: [fileURLToPath(new URL('../fixtures/mcp-server.mjs', import.meta.url))],
    },
    takesMaxTurns: true,
    unsupported: [
      [{ baseInstructions: 'Be brief.' }, { capability: 'base_instructions' }],
      [
        { codeIntelligenceEnforcement: { enforceUsage: true, fallbackAfterAttempt: true } },
        { capability: 'code_intel_enforcement' },
      ],
      [{ subAgentProvider: 'codex' }, { field: 'subAgentProvider' }],
    ],
  }),
)
