// The adapter rules against a small program that speaks the Agent Client Protocol.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AcpProgram, createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { expect } from 'vitest'
import { writeMcpConfig } from './real-bench'
import type { Bench } from './rig/harness'
import { markedBy } from './rig/leftovers'
import { runAdapterSuite } from './run-adapter-suite'
import { tempDir } from './temp-dir'
import { noFolders, noToolLists, protocolFields } from './testing/real-acp'

const file = fileURLToPath(new URL('../../adapter-acp/src/testing/scripted-program.mjs', import.meta.url))
const program: AcpProgram = {
  kind: 'scripted-acp',
  label: 'Scripted ACP',
  profile: profiles.generic,
  argv: [process.execPath, file],
}

interface View {
  prompts: string[]
  model: string
  mcpServers?: unknown[]
}

async function bench(argv: AcpProgram['argv'] = [process.execPath, file]): Promise<Bench & { view(): View }> {
  const root = tempDir()
  const folder = (name: string) => {
    mkdirSync(join(root.path, name))
    return join(root.path, name)
  }
  const home = folder('home')
  const env = { PATH: process.env.PATH ?? '', HOME: home }
  const viewFile = join(home, 'scripted-acp', 'view.json')
  const view = (): View =>
    existsSync(viewFile) ? JSON.parse(readFileSync(viewFile, 'utf8')) : { prompts: [], model: '' }
  return {
    adapter: createAcpAdapter({ ...program, argv }, { env, scratchDir: folder('scratch'), markedBy }),
    workDir: folder('work'),
    otherDir: folder('other'),
    view,
    modelView: async () => ({ system: '', userTexts: view().prompts, model: view().model }),
    dispose: async () => root.remove(),
  }
}

const prompt = (...steps: object[]) => ({ text: `SCRIPT: ${JSON.stringify(steps)}` })
const shell = (command: string, more = {}) => ({ tool: 'shell', input: { command }, ...more })

runAdapterSuite('any program of the Agent Client Protocol, scripted', {
  type: program.kind,
  createBench: bench,
  createWithoutProgram: async () => (await bench(['/nowhere/agent'])).adapter,
  tells: { numTurns: false, stopReason: true, apiDuration: false, denials: false },
  otherModel: { code: 'other-model', seenAs: 'other-model' },
  prompts: {
    text: (answer) => prompt({ text: answer }),
    longStream: () => prompt({ text: 'It begins, and', chunk: 4 }, { hang: true }),
    toolThatAsks: (path, content, closing) => ({
      ...prompt(shell(`echo ${content} > ${path}`), { text: closing }),
      toolName: 'execute',
    }),
    toolThatPrints: (marker, closing) => prompt(shell(`echo ${marker}`), { text: closing }),
    slowTool: (path) => prompt(shell(`echo started > ${path}; sleep 60`)),
    twoToolsThatAsk: (files, content) => prompt({ tools: files.map((path) => shell(`echo ${content} > ${path}`)) }),
    printEnv: (name) => prompt(shell(`printenv ${name}; echo printed`), { text: 'Done.' }),
  },
  fields: {
    ...protocolFields,
    ...noToolLists,
    ...noFolders,
    systemPrompt: {
      kind: 'effect',
      title: 'stands in front of the first prompt, since the protocol has no place for it',
      async check({ bench: { modelView }, start }) {
        const recorder = await start({ systemPrompt: 'Always mention the lighthouse.' })
        await recorder.turn(prompt({ text: 'Hello.' }).text)
        await recorder.turn(prompt({ text: 'Again.' }).text)
        const { userTexts } = await modelView()
        expect(userTexts.map((text) => text.includes('lighthouse'))).toEqual([true, false])
      },
    },
    model: { kind: 'standard' },
    maxOutputTokens: {
      kind: 'effect',
      title: 'is what the budget warning reserves',
      async check({ start }) {
        const recorder = await start({ maxOutputTokens: 4321 })
        await recorder.turn(prompt({ usage: { used: 95_000, size: 100_000 } }).text)
        expect(recorder.all('budget').map(({ warning }) => warning.maxOutputTokens)).toEqual([4321])
      },
    },
    sandbox: { kind: 'unsupported', value: { sandbox: 'read-only' } },
    mode: { kind: 'unsupported', value: { mode: 'ask' } },
    mcpServers: {
      kind: 'effect',
      title: 'comes behind the others',
      async check({ bench: one, start }) {
        const own = { roundhouse: { command: '/bin/true', env: { KEY: 'k' } } }
        const recorder = await start({ mcpConfigPath: writeMcpConfig(one.otherDir, 'sums'), mcpServers: own })
        await recorder.turn(prompt({ text: 'Hello.' }).text)
        const { mcpServers } = (one as Awaited<ReturnType<typeof bench>>).view()
        expect(mcpServers?.slice(1)).toEqual([
          { name: 'roundhouse', command: '/bin/true', args: [], env: [{ name: 'KEY', value: 'k' }] },
        ])
      },
    },
    mcpConfigPath: {
      kind: 'effect',
      title: 'is what the program is given',
      async check({ bench: one, start }) {
        const recorder = await start({ mcpConfigPath: writeMcpConfig(one.otherDir, 'sums') })
        await recorder.turn(prompt({ text: 'Hello.' }).text)
        const { mcpServers } = (one as Awaited<ReturnType<typeof bench>>).view()
        expect(mcpServers).toEqual([
          { name: 'sums', command: process.execPath, args: [expect.stringMatching(/mcp-server\.mjs$/)], env: [] },
        ])
      },
    },
  },
})
