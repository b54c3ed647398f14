// The adapter rules against the real OpenClaw, each session with a gateway of its own and a scripted model on loopback.
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { openclawEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { realBench } from '../real-bench'
import { hostFields } from '../rig/harness'
import { allowAll } from '../rig/recorder'
import { runAdapterSuite } from '../run-adapter-suite'
import { contentOf } from '../suite/kit'

const { openclaw } = await findRealBackends('openclaw')
const missing = 'skipped' in openclaw ? openclaw.skipped : undefined
const bin = 'skipped' in openclaw ? '/nowhere/openclaw' : openclaw.bin
/** Other tests run beside it. */
const patient = { manifestTimeoutMs: 60_000 }
const bench = (program = bin) =>
  realBench({
    startModel: startChatModel,
    surround: openclawEnvironment,
    adapterFor: (context) => createAcpAdapter({ ...about.openclaw, profile: profiles.openclaw }, context, patient),
    bin: program,
  })

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const exec = (command: string): Step => ({ tool: 'exec', input: { command } })

runAdapterSuite(`openclaw ${'skipped' in openclaw ? '' : openclaw.version}, the real program`, {
  type: 'openclaw',
  ...(missing === undefined ? {} : { skipped: missing }),
  timeoutMs: 600_000,
  sharesProcess: true,
  createBench: () => bench(),
  createWithoutProgram: async () => {
    const empty = await bench('/nowhere/openclaw')
    await empty.dispose()
    return empty.adapter
  },
  otherModel: { code: 'none', seenAs: 'none' },
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    // It refuses by itself what it cannot pin down, a redirection for example.
    toolThatAsks: (file, content, closing) => ({
      ...prompt(exec(`echo ${content} | tee ${file}`), { text: closing }),
      toolName: 'exec',
    }),
    toolThatPrints: (marker, closing) => prompt(exec(`echo ${marker}`), { text: closing }),
    slowTool: (file) => prompt(exec(`touch ${file} && sleep 60`)),
    printEnv: (name) => prompt(exec(`printenv ${name}`), { text: 'Done.' }),
  },
  fields: {
    ...hostFields,
    providerConfig: { kind: 'unsupported', value: { providerConfig: { maxTurns: 1 } } },
    workDir: { kind: 'standard' },
    resumeId: { kind: 'standard' },
    newSessionId: { kind: 'unsupported', value: { newSessionId: 'chosen' } },
    systemPrompt: {
      kind: 'effect',
      title: 'stands in front of the first prompt, since the protocol has no place for it',
      async check({ bench: { modelView }, start }) {
        const recorder = await start({ systemPrompt: 'Always mention the lighthouse.' })
        await recorder.turn(prompt({ text: 'Hello.' }).text)
        expect((await modelView()).userTexts.join('\n')).toContain('Always mention the lighthouse.')
      },
    },
    model: { kind: 'unsupported', value: { model: 'other-model' } },
    maxOutputTokens: { kind: 'host', why: 'it serves the warning before the window is full' },
    env: { kind: 'standard' },
    allowedTools: { kind: 'unsupported', value: { allowedTools: ['exec'] } },
    disallowedTools: { kind: 'unsupported', value: { disallowedTools: ['exec'] } },
    additionalDirs: { kind: 'unsupported', value: { additionalDirs: ['/'] } },
    sandbox: {
      kind: 'effect',
      title: 'read-only lets no command run',
      async check({ bench: { workDir }, start }) {
        const file = `${workDir}/from-read-only.txt`
        const recorder = await start({ sandbox: 'read-only' })
        const turn = await recorder.turn(script([exec(`touch ${file}`), { text: 'Done.' }]), allowAll)
        expect([turn.asks, contentOf(file)]).toEqual([[], undefined])
      },
    },
    mode: { kind: 'unsupported', value: { mode: 'full' } },
    thinking: { kind: 'unsupported', value: { thinking: 'low' } },
    mcpConfigPath: { kind: 'unsupported', value: { mcpConfigPath: '/nowhere/mcp.json' } },
    mcpServers: { kind: 'unsupported', value: { mcpServers: { roundhouse: { command: '/nowhere/tools' } } } },
  },
})
