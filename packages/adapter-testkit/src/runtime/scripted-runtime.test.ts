// The runtime for channels and scripts over the scripted adapter, whose program is a real child process.
import { type Step, script } from '@roundhouse/adapter-scripted'
import { describe } from 'vitest'
import { scriptedBench } from '../scripted-bench'
import { runtimeRules } from './runtime.suite'

const prompt = (...steps: Step[]) => ({ text: script(steps) })

describe('AgentRuntime: scripted', () =>
  runtimeRules({
    createBench: () => scriptedBench(),
    tells: { numTurns: true, stopReason: true, apiDuration: true, denials: true },
    hasSystem: true,
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt({ tool: 'Write', input: { file_path: file, content } }, { text: closing }),
        toolName: 'Write',
      }),
      slowTool: (file) => prompt({ tool: 'Bash', input: { command: `echo started > ${file}; sleep 60` } }),
      printEnv: (name) => prompt({ tool: 'Bash', input: { command: `printenv ${name}` } }),
    },
  }))
