// The adapter rules against a small program that speaks the Agent Client Protocol.
import { expect } from 'vitest'
import { writeMcpConfig } from './real-bench'
import { runAdapterSuite } from './run-adapter-suite'
import { noFolders, noToolLists, protocolFields } from './testing/real-acp'
import {
  acpPrompt as prompt,
  type ScriptedAcpBench,
  scriptedAcpBench,
  scriptedAcpPrompts,
} from './testing/scripted-acp'

runAdapterSuite('any program of the Agent Client Protocol, scripted', {
  type: 'scripted-acp',
  createBench: scriptedAcpBench,
  createWithoutProgram: async () => (await scriptedAcpBench(['/nowhere/agent'])).adapter,
  tells: { numTurns: false, stopReason: true, apiDuration: false, denials: false },
  otherModel: { code: 'other-model', seenAs: 'other-model' },
  missingModel: 'no-model',
  prompts: scriptedAcpPrompts,
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
        const { mcpServers } = (one as ScriptedAcpBench).view()
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
        const { mcpServers } = (one as ScriptedAcpBench).view()
        expect(mcpServers).toEqual([
          { name: 'sums', command: process.execPath, args: [expect.stringMatching(/mcp-server\.mjs$/)], env: [] },
        ])
      },
    },
  },
})
