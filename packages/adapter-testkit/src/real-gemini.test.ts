// The adapter rules against the real Gemini CLI, with a scripted model on loopback.
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { geminiEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startGeminiModel } from '../../../e2e/real-backends/model-servers/gemini.mjs'
import { realBench } from './real-bench'
import { isPlayed } from './rig/every-run'
import { hostFields } from './rig/harness'
import { runAdapterSuite } from './run-adapter-suite'

const { gemini } = await findRealBackends('gemini')
const missing = 'skipped' in gemini ? gemini.skipped : undefined
const bin = 'skipped' in gemini ? '/nowhere/gemini' : gemini.bin
/** Other tests run beside it. */
const patient = { manifestTimeoutMs: 60_000 }
const bench = (program = bin) =>
  realBench({
    startModel: startGeminiModel,
    surround: geminiEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.gemini, profile: profiles.gemini }, context, patient),
    bin: program,
  })

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const shell = (command: string): Step => ({
  tool: 'run_shell_command',
  input: { command, description: 'scripted command' },
})

runAdapterSuite(`gemini ${'skipped' in gemini ? '' : gemini.version}, the real program`, {
  type: 'gemini',
  ...(missing === undefined ? {} : { skipped: missing }),
  timeoutMs: 90_000,
  sharesProcess: true,
  // It waits for the next minute; the browser story of Gemini shows the same in every run.
  plays: isPlayed(/^\[RES-2\]/),
  createBench: () => bench(),
  createWithoutProgram: async () => {
    const empty = await bench('/nowhere/gemini')
    await empty.dispose()
    return empty.adapter
  },
  otherModel: { code: 'gemini-2.5-pro', seenAs: 'gemini-2.5-pro' },
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    toolThatAsks: (file, content, closing) => ({
      ...prompt(shell(`echo ${content} > ${file}`), { text: closing }),
      toolName: 'run_shell_command',
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
    mcpServers: { kind: 'unsupported', value: { mcpServers: { roundhouse: { command: '/nowhere/tools' } } } },
    mcpConfigPath: { kind: 'unsupported', value: { mcpConfigPath: '/nowhere/mcp.json' } },
  },
})
