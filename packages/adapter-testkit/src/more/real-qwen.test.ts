// The adapter rules against the real Qwen Code, with a scripted model on loopback.
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { qwenEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { realBench } from '../real-bench'
import { hostFields } from '../rig/harness'
import { runAdapterSuite } from '../run-adapter-suite'

const { qwen } = await findRealBackends('qwen')
const missing = 'skipped' in qwen ? qwen.skipped : undefined
const bin = 'skipped' in qwen ? '/nowhere/qwen' : qwen.bin
/** Other tests run beside it. */
const patient = { manifestTimeoutMs: 60_000 }
const bench = (program = bin) =>
  realBench({
    startModel: startChatModel,
    surround: qwenEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.qwen, profile: profiles.qwen }, context, patient),
    bin: program,
  })

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const shell = (command: string): Step => ({
  tool: 'run_shell_command',
  input: { command, description: 'scripted command', is_background: false },
})

runAdapterSuite(`qwen ${'skipped' in qwen ? '' : qwen.version}, the real program`, {
  type: 'qwen',
  ...(missing === undefined ? {} : { skipped: missing }),
  timeoutMs: 90_000,
  sharesProcess: true,
  createBench: () => bench(),
  createWithoutProgram: async () => {
    const empty = await bench('/nowhere/qwen')
    await empty.dispose()
    return empty.adapter
  },
  otherModel: { code: 'other-model', seenAs: 'other-model' },
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    toolThatAsks: (file, content, closing) => ({
      ...prompt(shell(`echo ${content} > ${file}`), { text: closing }),
      toolName: 'execute',
    }),
    toolThatPrints: (marker, closing) => prompt(shell(`echo ${marker}`), { text: closing }),
    slowTool: (file) => prompt(shell(`echo started > ${file}; sleep 60`)),
    printEnv: (name) => prompt(shell(`printenv ${name}; echo printed`), { text: 'Done.' }),
  },
  fields: {
    ...hostFields,
    providerConfig: { kind: 'unsupported', value: { providerConfig: { maxTurns: 1 } } },
    workDir: { kind: 'standard' },
    resumeId: { kind: 'standard' },
    newSessionId: { kind: 'unsupported', value: { newSessionId: 'chosen' } },
    systemPrompt: {
      kind: 'effect',
      title: 'stands in front of the first prompt: its own system prompt could only be replaced as a whole',
      async check({ bench: { modelView }, start }) {
        const recorder = await start({ systemPrompt: 'Always mention the lighthouse.' })
        await recorder.turn(prompt({ text: 'Hello.' }).text)
        expect((await modelView()).userTexts.join('\n')).toContain('Always mention the lighthouse.')
      },
    },
    model: { kind: 'standard' },
    maxOutputTokens: { kind: 'host', why: 'the program says no window, so there is nothing to reserve an answer in' },
    env: { kind: 'standard' },
    allowedTools: { kind: 'unsupported', value: { allowedTools: ['run_shell_command'] } },
    disallowedTools: { kind: 'unsupported', value: { disallowedTools: ['run_shell_command'] } },
    additionalDirs: { kind: 'unsupported', value: { additionalDirs: ['/'] } },
    sandbox: { kind: 'unsupported', value: { sandbox: 'read-only' } },
    mode: { kind: 'unsupported', value: { mode: 'yolo' } },
    thinking: { kind: 'unsupported', value: { thinking: 'low' } },
    mcpConfigPath: { kind: 'unsupported', value: { mcpConfigPath: '/nowhere/mcp.json' } },
    mcpServers: { kind: 'unsupported', value: { mcpServers: { roundhouse: { command: '/nowhere/tools' } } } },
  },
})
