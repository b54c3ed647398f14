// The adapter rules against the real Codex, with a scripted model on loopback.
import { join } from 'node:path'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { ownServerRule, realBench, writeMcpConfig } from './real-bench'
import { isPlayedByOurs } from './rig/every-run'
import { type FieldKit, hostFields } from './rig/harness'
import { allowAll } from './rig/recorder'
import { runAdapterSuite } from './run-adapter-suite'
import { contentOf } from './suite/kit'

const { codex } = await findRealBackends('codex')
const missing = 'skipped' in codex ? codex.skipped : undefined
const bin = 'skipped' in codex ? '/nowhere/codex' : codex.bin
const bench = (program = bin) =>
  realBench({
    startModel: startResponsesModel,
    surround: codexEnvironment,
    adapterFor: createCodexAdapter,
    bin: program,
  })

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const command = (cmd: string, more = {}): Step => ({ tool: 'exec_command', input: { cmd, ...more } })
/** `on-request` asks when the model wants to leave the sandbox. */
const outside = (cmd: string): Step =>
  command(cmd, { sandbox_permissions: 'require_escalated', justification: 'It has to write a file' })

async function writeOne({ bench: { workDir }, start }: FieldKit, name: string, options: object) {
  const file = join(workDir, name)
  const turn = await (await start(options)).turn(
    script([command(`echo written > ${file}`), { text: 'Done.' }]),
    allowAll,
  )
  return { turn, written: contentOf(file) }
}

runAdapterSuite(`codex ${'skipped' in codex ? '' : codex.version}, the real program`, {
  type: 'codex',
  ...(missing === undefined ? {} : { skipped: missing }),
  timeoutMs: 60_000,
  plays: isPlayedByOurs,
  createBench: () => bench(),
  createWithoutProgram: async () => {
    const empty = await bench('/nowhere/codex')
    await empty.dispose()
    return empty.adapter
  },
  tells: { numTurns: false, stopReason: false, apiDuration: false, denials: true },
  otherModel: { code: 'other-model', seenAs: 'other-model' },
  missingModel: 'no-such-model',
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    toolThatAsks: (file, content, closing) => ({
      ...prompt(outside(`echo ${content} > ${file}`), { text: closing }),
      toolName: 'exec_command',
    }),
    toolThatPrints: (marker, closing) => prompt(command(`echo ${marker}`), { text: closing }),
    slowTool: (file) => prompt(command(`echo started > ${file}; sleep 60`, { yield_time_ms: 30_000 })),
    printEnv: (name) => prompt(command(`printenv ${name}; echo printed`), { text: 'Done.' }),
  },
  fields: {
    ...hostFields,
    providerConfig: { kind: 'unsupported', value: { providerConfig: { maxTurns: 1 } } },
    workDir: { kind: 'standard' },
    resumeId: { kind: 'standard' },
    newSessionId: { kind: 'unsupported', value: { newSessionId: '01a1fff1-d92a-7070-b9bd-9063e88b7f69' } },
    systemPrompt: { kind: 'standard' },
    model: { kind: 'standard' },
    maxOutputTokens: {
      kind: 'effect',
      title: 'is what the budget warning reserves: Codex has no limit of its own',
      async check({ start }) {
        const recorder = await start({ maxOutputTokens: 4321 })
        await recorder.turn(script([{ text: 'Much.', usage: { input_tokens: 250_000 } }]))
        const [budget] = recorder.all('budget')
        expect(budget?.warning.maxOutputTokens).toBe(4321)
      },
    },
    env: { kind: 'standard' },
    allowedTools: { kind: 'unsupported', value: { allowedTools: ['exec_command'] } },
    disallowedTools: { kind: 'unsupported', value: { disallowedTools: ['exec_command'] } },
    additionalDirs: {
      kind: 'effect',
      title: 'may be written, other folders may not',
      async check({ bench: { otherDir }, start }) {
        const file = join(otherDir, 'from-additional-dirs.txt')
        const text = script([command(`echo outside > ${file}`), { text: 'Done.' }])
        await (await start()).turn(text)
        expect(contentOf(file)).toBeUndefined()
        await (await start({ additionalDirs: [otherDir] })).turn(text)
        expect(contentOf(file)).toBe('outside')
      },
    },
    sandbox: {
      kind: 'effect',
      title: 'read-only lets nothing be written, workspace-write does',
      async check(kit) {
        expect((await writeOne(kit, 'from-read-only.txt', { sandbox: 'read-only' })).written).toBeUndefined()
        expect((await writeOne(kit, 'from-workspace-write.txt', { sandbox: 'workspace-write' })).written).toBe(
          'written',
        )
      },
    },
    mode: {
      kind: 'effect',
      title: 'untrusted asks before every command',
      async check(kit) {
        const { turn, written } = await writeOne(kit, 'from-untrusted.txt', { mode: 'untrusted' })
        expect(turn.asks).toHaveLength(1)
        expect(written).toBe('written')
      },
    },
    thinking: {
      kind: 'effect',
      title: 'is the effort that the model is asked for',
      async check({ bench: { modelView }, start }) {
        await (await start({ thinking: 'low' })).turn(script([{ text: 'Hm.' }]))
        expect((await modelView()).thinking).toBe('low')
      },
    },
    mcpServers: ownServerRule((...tools) =>
      script([
        ...tools.map(({ server, tool }) => ({
          tools: [{ name: tool, namespace: `mcp__${server}`, input: { a: 19, b: 23 } }],
        })),
        { text: 'Done.' },
      ]),
    ),
    mcpConfigPath: {
      kind: 'effect',
      title: 'adds the tools of its servers',
      async check({ bench: { otherDir }, start }) {
        const recorder = await start({ mcpConfigPath: writeMcpConfig(otherDir, 'sums') })
        const call = { name: 'add', namespace: 'mcp__sums', input: { a: 19, b: 23 } }
        const turn = await recorder.turn(script([{ tools: [call] }, { text: 'Done.' }]), allowAll)
        expect(JSON.stringify(turn.outputs.filter(({ kind }) => kind === 'tool_result'))).toContain('sum 42')
      },
    },
  },
})
