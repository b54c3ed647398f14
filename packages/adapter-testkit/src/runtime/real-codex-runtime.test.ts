// The runtime for channels and scripts over the real Codex, with a scripted model on loopback.
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { codexEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { variations } from '../../../../scripts/lib/runs/variation.mjs'
import { realBench, serverOf } from '../real-bench'
import { runtimeRules } from './runtime.suite'

const { codex } = await findRealBackends('codex')
const prompt = (...steps: Step[]) => ({ text: script(steps) })
const command = (cmd: string, more = {}): Step => ({ tool: 'exec_command', input: { cmd, ...more } })
/** `on-request` asks when the model wants to leave the sandbox. */
const outside = (cmd: string): Step =>
  command(cmd, { sandbox_permissions: 'require_escalated', justification: 'It has to write a file' })

const add = { name: 'add', namespace: 'mcp__sums', input: { a: 19, b: 23 } }

// In an ordinary run Claude Code plays the runtime, and the scripted program both contracts.
variations('AgentRuntime: codex, the real program', () =>
  runtimeRules({
    ...('skipped' in codex ? { skipped: codex.skipped } : {}),
    timeoutMs: 120_000,
    createBench: () =>
      realBench({
        startModel: startResponsesModel,
        surround: codexEnvironment,
        adapterFor: createCodexAdapter,
        bin: 'skipped' in codex ? '/nowhere/codex' : codex.bin,
      }),
    tells: { numTurns: false, stopReason: false, apiDuration: false, denials: true },
    hasSystem: true,
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt(outside(`echo ${content} > ${file}`), { text: closing }),
        toolName: 'exec_command',
      }),
      slowTool: (file) => prompt(command(`echo started > ${file}; sleep 60`, { yield_time_ms: 30_000 })),
      printEnv: (name) => prompt(command(`printenv ${name}; echo printed`), { text: 'Done.' }),
    },
    sums: {
      servers: { sums: serverOf('sums') },
      prompt: script([{ tools: [add] }, { text: 'Done.' }]),
    },
  }),
)
