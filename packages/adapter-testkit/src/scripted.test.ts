import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { type AdapterHarness, hostFields } from './rig/harness'
import { allowAll } from './rig/recorder'
import { runAdapterSuite } from './run-adapter-suite'
import { scriptedBench } from './scripted-bench'
import { contentOf } from './suite/kit'

const prompt = (...steps: Step[]) => ({ text: script(steps) })
const write = (file: string, content: string) => ({ file_path: file, content })

const harness: AdapterHarness = {
  type: 'scripted',
  // A stop without SIGTERM would outlast the test.
  createBench: () => scriptedBench({ graceMs: 60_000 }),
  createWithoutProgram: async () => {
    const bench = await scriptedBench({ playerPath: '/nowhere/scripted-cli.js' })
    await bench.dispose()
    return bench.adapter
  },
  tells: { numTurns: true, stopReason: true, apiDuration: true, denials: true },
  otherModel: { code: 'scripted-small', seenAs: 'scripted-small' },
  missingModel: 'scripted-missing',
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
    toolThatAsks: (file, content, closing) => ({
      ...prompt({ tool: 'Write', input: write(file, content) }, { text: closing }),
      toolName: 'Write',
      edit: (_, edited) => write(file, edited),
    }),
    toolThatPrints: (marker, closing) =>
      prompt({ tool: 'Read', input: { file_path: 'notes.md' }, output: `# ${marker}` }, { text: closing }),
    slowTool: (file) => prompt({ tool: 'Bash', input: { command: `echo started > ${file}; sleep 60` } }),
    printEnv: (name) => prompt({ tool: 'Bash', input: { command: `printenv ${name}` } }),
    twoToolsThatAsk: (files, content) =>
      prompt({ tools: files.map((file) => ({ name: 'Write', input: write(file, content) })) }),
  },
  fields: {
    ...hostFields,
    providerConfig: { kind: 'unsupported', value: { providerConfig: { maxTurns: 1 } } },
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
      title: 'may be written, other folders may not',
      async check({ bench, start }) {
        const file = join(bench.otherDir, 'from-additional-dirs.txt')
        const text = script([{ tool: 'Write', input: write(file, 'outside') }])
        await (await start()).turn(text, allowAll)
        expect(contentOf(file)).toBeUndefined()
        await (await start({ additionalDirs: [bench.otherDir] })).turn(text, allowAll)
        expect(contentOf(file)).toBe('outside')
      },
    },
    sandbox: {
      kind: 'effect',
      title: 'read-only lets nothing be written, whatever is answered',
      async check({ bench, start }) {
        const file = join(bench.workDir, 'from-read-only.txt')
        const recorder = await start({ sandbox: 'read-only' })
        const turn = await recorder.turn(script([{ tool: 'Write', input: write(file, 'no') }]), allowAll)
        expect(contentOf(file)).toBeUndefined()
        expect(turn.outputs.at(-1)).toMatchObject({ kind: 'tool_result', isError: true })
      },
    },
    mode: {
      kind: 'effect',
      title: 'plan changes nothing and does not ask',
      async check({ bench, start }) {
        const file = join(bench.workDir, 'from-plan-mode.txt')
        const recorder = await start({ mode: 'plan' })
        const turn = await recorder.turn(script([{ tool: 'Write', input: write(file, 'no') }]))
        expect(contentOf(file)).toBeUndefined()
        expect(turn.outputs.at(-1)).toMatchObject({ kind: 'tool_result', isError: true })
      },
    },
    thinking: {
      kind: 'effect',
      title: 'off leaves the thinking out',
      async check({ start }) {
        const text = script([{ thinking: 'Hm.', text: 'Yes.' }])
        const kinds = async (thinking: string) =>
          (await (await start({ thinking })).turn(text)).outputs.map(({ kind }) => kind)
        expect(await kinds('on')).toEqual(['thinking', 'assistant_text'])
        expect(await kinds('off')).toEqual(['assistant_text'])
      },
    },
    mcpServers: { kind: 'host', why: 'the player starts no server; its commands reach the host by the command line' },
    mcpConfigPath: {
      kind: 'effect',
      title: 'adds the tools of its servers',
      async check({ bench, start }) {
        const folder = join(bench.workDir, 'mcp')
        mkdirSync(folder)
        const mcpConfigPath = join(folder, 'mcp.json')
        writeFileSync(mcpConfigPath, JSON.stringify({ mcpServers: { sums: { command: 'node' } } }))
        const text = script([{ tool: 'mcp__sums__add', input: { a: 1 } }])
        const result = async (options: object) => (await (await start(options)).turn(text, allowAll)).outputs.at(-1)
        expect(await result({})).toMatchObject({ isError: true })
        expect(await result({ mcpConfigPath })).toMatchObject({ output: { a: 1 } })
      },
    },
  },
}

runAdapterSuite('scripted', harness)
