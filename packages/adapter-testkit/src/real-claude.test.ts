// The adapter rules against the real Claude Code, with a scripted model on loopback.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { claudeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { ownServerRule, realBench, writeMcpConfig } from './real-bench'
import { isPlayedByOurs } from './rig/every-run'
import { type FieldKit, hostFields } from './rig/harness'
import { allowAll } from './rig/recorder'
import { runAdapterSuite } from './run-adapter-suite'
import { contentOf } from './suite/kit'

const { claude } = await findRealBackends('claude')
const missing = 'skipped' in claude ? claude.skipped : undefined
const bin = 'skipped' in claude ? '/nowhere/claude' : claude.bin
const bench = (program = bin) =>
  realBench({
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    adapterFor: createClaudeAdapter,
    bin: program,
  })

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const write = (file: string, content: string) => ({ file_path: file, content })
const bash = (command: string): Step => ({ tool: 'Bash', input: { command, description: 'One command' } })

async function writeOne({ bench: { workDir }, start }: FieldKit, name: string, options: object) {
  const file = join(workDir, name)
  const turn = await (await start(options)).turn(script([{ tool: 'Write', input: write(file, 'written') }]), allowAll)
  return { turn, written: contentOf(file) }
}

runAdapterSuite(`claude ${'skipped' in claude ? '' : claude.version}, the real program`, {
  type: 'claude',
  ...(missing === undefined ? {} : { skipped: missing }),
  timeoutMs: 60_000,
  plays: isPlayedByOurs,
  createBench: () => bench(),
  createWithoutProgram: async () => {
    const empty = await bench('/nowhere/claude')
    await empty.dispose()
    return empty.adapter
  },
  tells: { numTurns: true, stopReason: true, apiDuration: true, denials: true },
  otherModel: { code: 'claude-other-model', seenAs: 'claude-other-model' },
  missingModel: 'no-such-model',
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    toolThatAsks: (file, content, closing) => ({
      ...prompt({ tool: 'Write', input: write(file, content) }, { text: closing }),
      toolName: 'Write',
      edit: (_, edited) => write(file, edited),
    }),
    toolThatPrints: (marker, closing) => prompt(bash(`echo ${marker}`), { text: closing }),
    slowTool: (file) => prompt(bash(`echo started > ${file}; sleep 60; echo ended`)),
    printEnv: (name) => prompt(bash(`printenv ${name}; echo printed`), { text: 'Done.' }),
  },
  fields: {
    ...hostFields,
    providerConfig: {
      kind: 'effect',
      title: 'is what its SDK knows: a limit of turns ends a turn',
      async check({ start }) {
        const text = script([bash('ls'), bash('ls'), { text: 'Never said.' }])
        const { info } = await (await start({ providerConfig: { maxTurns: 1 } })).turn(text, allowAll)
        expect(info.reason).toBe('max_turns')
      },
    },
    workDir: { kind: 'standard' },
    resumeId: { kind: 'standard' },
    newSessionId: { kind: 'standard' },
    systemPrompt: { kind: 'standard' },
    model: { kind: 'standard' },
    maxOutputTokens: { kind: 'standard' },
    env: { kind: 'standard' },
    allowedTools: { kind: 'standard' },
    disallowedTools: { kind: 'standard' },
    additionalDirs: {
      kind: 'effect',
      title: 'are read without asking, other folders are not',
      async check({ bench: { otherDir }, start }) {
        const file = join(otherDir, 'from-additional-dirs.txt')
        writeFileSync(file, 'outside')
        const text = script([{ tool: 'Read', input: { file_path: file } }, { text: 'Done.' }])
        expect((await (await start()).turn(text, allowAll)).asks).toHaveLength(1)
        expect((await (await start({ additionalDirs: [otherDir] })).turn(text)).asks).toEqual([])
      },
    },
    sandbox: {
      kind: 'effect',
      title: 'read-only takes the writing tools away',
      async check(kit) {
        expect((await writeOne(kit, 'from-read-only.txt', { sandbox: 'read-only' })).written).toBeUndefined()
      },
    },
    mode: {
      kind: 'effect',
      title: 'acceptEdits writes without asking',
      async check(kit) {
        const { turn, written } = await writeOne(kit, 'from-accept-edits.txt', { mode: 'acceptEdits' })
        expect(turn.asks).toEqual([])
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
        ...tools.map(({ server, tool }) => ({ tool: `mcp__${server}__${tool}`, input: { a: 19, b: 23 } })),
        { text: 'Done.' },
      ]),
    ),
    mcpConfigPath: {
      kind: 'effect',
      title: 'adds the tools of its servers',
      async check({ bench: { otherDir }, start }) {
        const recorder = await start({ mcpConfigPath: writeMcpConfig(otherDir, 'sums') })
        const turn = await recorder.turn(script([{ tool: 'mcp__sums__add', input: { a: 19, b: 23 } }]), allowAll)
        expect(JSON.stringify(turn.outputs.filter(({ kind }) => kind === 'tool_result'))).toContain('sum 42')
      },
    },
  },
})
