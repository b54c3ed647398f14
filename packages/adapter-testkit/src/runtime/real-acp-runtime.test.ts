// The runtime for channels and scripts over the real OpenCode, with a scripted model on loopback.
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { describe } from 'vitest'
import { opencodeEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { realBench } from '../real-bench'
import { runtimeRules } from './runtime.suite'

const { opencode } = await findRealBackends('opencode')
const prompt = (...steps: Step[]) => ({ text: script(steps) })
const bash = (command: string): Step => ({ tool: 'bash', input: { command, description: 'scripted command' } })

describe('AgentRuntime: opencode, the real program', () =>
  runtimeRules({
    ...('skipped' in opencode ? { skipped: opencode.skipped } : {}),
    timeoutMs: 180_000,
    createBench: () =>
      realBench({
        startModel: startChatModel,
        surround: opencodeEnvironment,
        adapterFor: (context) => createAcpAdapter({ ...about.opencode, profile: profiles.opencode }, context),
        bin: 'skipped' in opencode ? '/nowhere/opencode' : opencode.bin,
      }),
    tells: { numTurns: false, stopReason: true, apiDuration: false, denials: false },
    hasSystem: true,
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt(bash(`echo ${content} > ${file}`), { text: closing }),
        toolName: 'bash',
      }),
      slowTool: (file) => prompt(bash(`echo started > ${file}; sleep 60`)),
      printEnv: (name) => prompt(bash(`printenv ${name}; echo printed`), { text: 'Done.' }),
    },
  }))
