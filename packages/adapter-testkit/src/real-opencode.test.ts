// The adapter rules against the real OpenCode, with a scripted model on loopback.
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { opencodeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { startChatModel } from '../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { ownServerRule, writeMcpConfig } from './real-bench'
import { isPlayed } from './rig/every-run'
import type { FieldKit } from './rig/harness'
import { allowAll } from './rig/recorder'
import { contentOf } from './suite/kit'
import { runRealAcpSuite } from './testing/real-acp'

const bash = (command: string): Step => ({ tool: 'bash', input: { command, description: 'scripted command' } })

async function writeOne({ bench: { workDir }, start }: FieldKit, name: string, options: object) {
  const file = `${workDir}/${name}`
  const recorder = await start(options)
  const turn = await recorder.turn(script([bash(`echo written > ${file}`), { text: 'Done.' }]), allowAll)
  return { turn, written: contentOf(file) }
}

await runRealAcpSuite({
  kind: 'opencode',
  startModel: startChatModel,
  surround: opencodeEnvironment,
  plays: isPlayed(),
  shell: bash,
  toolName: 'bash',
  otherModel: { code: 'scripted/other-model', seenAs: 'other-model' },
  missingModel: 'scripted/no-such-model',
  fields: {
    systemPrompt: { kind: 'standard' },
    model: { kind: 'standard' },
    maxOutputTokens: { kind: 'standard' },
    allowedTools: { kind: 'standard' },
    disallowedTools: { kind: 'standard' },
    additionalDirs: {
      kind: 'effect',
      title: 'are worked in without a question of their own, other folders are asked about first',
      async check({ bench: { otherDir }, start }) {
        const input = { filePath: `${otherDir}/a.txt`, content: 'written' }
        const text = script([{ tool: 'write', input }, { text: 'Done.' }])
        const outside = await start()
        outside.adapter.send(outside.process, text)
        const { request } = await outside.wait('ask')
        expect(request.input).toMatchObject({ parentDir: otherDir })
        await outside.decide(request.callId, { decision: 'deny' })
        await outside.wait('turn_completed')
        const { asks } = await (await start({ additionalDirs: [otherDir] })).turn(text, allowAll)
        expect(asks.map((ask) => ask.input)).toEqual([expect.objectContaining(input)])
      },
    },
    sandbox: {
      kind: 'effect',
      title: 'read-only lets no command run and no file be written',
      async check(kit) {
        expect((await writeOne(kit, 'from-read-only.txt', { sandbox: 'read-only' })).written).toBeUndefined()
        expect((await writeOne(kit, 'from-workspace-write.txt', {})).written).toBe('written')
      },
    },
    mode: {
      kind: 'effect',
      title: 'plan is what the model is told',
      async check({ bench: { requests }, start }) {
        await (await start({ mode: 'plan' })).turn(script([{ text: 'Hm.' }]))
        expect(JSON.stringify(requests?.().at(-1))).toMatch(/plan mode/i)
      },
    },
    mcpServers: ownServerRule((...tools) =>
      script([
        ...tools.map(({ server, tool }) => ({ tool: `${server}_${tool}`, input: { a: 19, b: 23 } })),
        { text: 'Done.' },
      ]),
    ),
    mcpConfigPath: {
      kind: 'effect',
      title: 'adds the tools of its servers',
      async check({ bench: { otherDir }, start }) {
        const recorder = await start({ mcpConfigPath: writeMcpConfig(otherDir, 'sums') })
        const turn = await recorder.turn(
          script([{ tool: 'sums_add', input: { a: 19, b: 23 } }, { text: 'Done.' }]),
          allowAll,
        )
        expect(turn.asks).toHaveLength(1)
        expect(JSON.stringify(turn.outputs.filter(({ kind }) => kind === 'tool_result'))).toContain('sum 42')
      },
    },
  },
})
