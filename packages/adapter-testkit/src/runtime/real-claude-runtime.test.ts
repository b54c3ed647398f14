// The runtime for channels and scripts over the real Claude Code, with a scripted model on loopback.
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { describe } from 'vitest'
import { claudeEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../../e2e/real-backends/model-servers/anthropic.mjs'
import { realBench, serverOf } from '../real-bench'
import { runtimeRules } from './runtime.suite'

const { claude } = await findRealBackends('claude')
const prompt = (...steps: Step[]) => ({ text: script(steps) })
const bash = (command: string): Step => ({ tool: 'Bash', input: { command, description: 'One command' } })

describe('AgentRuntime: claude, the real program', () =>
  runtimeRules({
    ...('skipped' in claude ? { skipped: claude.skipped } : {}),
    timeoutMs: 120_000,
    createBench: () =>
      realBench({
        startModel: startAnthropicModel,
        surround: claudeEnvironment,
        adapterFor: createClaudeAdapter,
        bin: 'skipped' in claude ? '/nowhere/claude' : claude.bin,
      }),
    tells: { numTurns: true, stopReason: true, apiDuration: true, denials: true },
    hasSystem: true,
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt({ tool: 'Write', input: { file_path: file, content } }, { text: closing }),
        toolName: 'Write',
      }),
      slowTool: (file) => prompt(bash(`echo started > ${file}; sleep 60; echo ended`)),
      printEnv: (name) => prompt(bash(`printenv ${name}; echo printed`), { text: 'Done.' }),
    },
    sums: {
      servers: { sums: serverOf('sums') },
      prompt: script([{ tool: 'mcp__sums__add', input: { a: 19, b: 23 } }, { text: 'Done.' }]),
    },
  }))
