// The provider contract over the scripted adapter, whose program is a real child process.
import { type Step, script } from '@roundhouse/adapter-scripted'
import { describe } from 'vitest'
import { scriptedBench } from '../scripted-bench'
import { providerRules } from './provider.suite'

const prompt = (...steps: Step[]) => ({ text: script(steps) })

describe('the provider contract: scripted', () =>
  providerRules({
    name: 'stub',
    createBench: () => scriptedBench(),
    createWithoutProgram: async () => {
      const bench = await scriptedBench({ playerPath: '/nowhere/scripted-cli.js' })
      await bench.dispose()
      return bench.adapter
    },
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt({ tool: 'Write', input: { file_path: file, content } }, { text: closing }),
        toolName: 'Write',
      }),
      printEnv: (name) => prompt({ tool: 'Bash', input: { command: `printenv ${name}` } }),
    },
    sums: { name: 'sums', command: 'node' },
    unsupported: [
      [{ baseInstructions: 'Be brief.' }, { capability: 'base_instructions' }],
      [{ permissionConfig: { defaultDecision: 'deny' } }, { capability: 'permission_config' }],
      [
        { codeIntelligenceEnforcement: { enforceUsage: true, fallbackAfterAttempt: true } },
        { capability: 'code_intel_enforcement' },
      ],
      [{ maxTurns: 3 }, { option: 'maxTurns' }],
      [{ providerConfig: { speed: 'fast' } }, { option: 'speed' }],
      [{ effort: 'high' }, { field: 'thinking' }],
    ],
  }))
