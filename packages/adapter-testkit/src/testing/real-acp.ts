/** The adapter rules against a real program of the Agent Client Protocol: what these programs have in common. */
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { type RealProgram, realBench } from '../real-bench'
import { type AdapterHarness, type FieldRule, hostFields } from '../rig/harness'
import { runAdapterSuite } from '../run-adapter-suite'

type Fields = AdapterHarness['fields']

/** No program takes more of these than the protocol has words for. */
export const protocolFields = {
  ...hostFields,
  providerConfig: { kind: 'unsupported', value: { providerConfig: { maxTurns: 1 } } },
  workDir: { kind: 'standard' },
  resumeId: { kind: 'standard' },
  newSessionId: { kind: 'unsupported', value: { newSessionId: 'chosen' } },
  env: { kind: 'standard' },
  thinking: { kind: 'unsupported', value: { thinking: 'low' } },
} as const satisfies Partial<Fields>

export const noToolLists = {
  allowedTools: { kind: 'unsupported', value: { allowedTools: ['any'] } },
  disallowedTools: { kind: 'unsupported', value: { disallowedTools: ['any'] } },
} as const satisfies Partial<Fields>

export const noFolders = {
  additionalDirs: { kind: 'unsupported', value: { additionalDirs: ['/'] } },
} as const satisfies Partial<Fields>

export const noServers = {
  mcpConfigPath: { kind: 'unsupported', value: { mcpConfigPath: '/nowhere/mcp.json' } },
  mcpServers: { kind: 'unsupported', value: { mcpServers: { roundhouse: { command: '/nowhere/tools' } } } },
} as const satisfies Partial<Fields>

/** `because`: why it is not the system prompt of the program. */
export const inFirstPrompt = (because: string): FieldRule => ({
  kind: 'effect',
  title: `stands in front of the first prompt${because}`,
  async check({ bench: { modelView }, start }) {
    const recorder = await start({ systemPrompt: 'Always mention the lighthouse.' })
    await recorder.turn(script([{ text: 'Hello.' }]))
    expect((await modelView()).userTexts.join('\n')).toContain('Always mention the lighthouse.')
  },
})

export interface RealAcp
  extends Pick<RealProgram, 'startModel' | 'surround'>,
    Pick<AdapterHarness, 'plays' | 'otherModel' | 'missingModel'> {
  kind: 'opencode' | 'gemini' | 'qwen' | 'openclaw'
  timeoutMs?: number
  /** A step in which the model calls the tool that runs this command. */
  shell(command: string): Step
  /** How a request names that tool. */
  toolName: string
  /** Commands of a program that refuses the usual ones by itself. */
  commands?: Partial<typeof usualCommands>
  fields: Omit<Fields, keyof typeof protocolFields>
}

const usualCommands = {
  write: (content: string, file: string) => `echo ${content} > ${file}`,
  begin: (file: string) => `echo started > ${file}; sleep 60`,
  // With a second output: of two calls at once, some programs ask about the second only after the first was decided.
  printEnv: (name: string) => `printenv ${name}; echo printed`,
}

const prompt = (...steps: Step[]) => ({ text: script(steps) })

export async function runRealAcpSuite(real: RealAcp): Promise<void> {
  const {
    kind,
    startModel,
    surround,
    shell,
    toolName,
    plays,
    otherModel,
    missingModel,
    timeoutMs = 90_000,
    fields,
  } = real
  const { [kind]: found } = await findRealBackends(kind)
  const { write, begin, printEnv } = { ...usualCommands, ...real.commands }
  const nowhere = `/nowhere/${kind}`
  // Other tests run beside it.
  const patient = { manifestTimeoutMs: 60_000 }
  const adapterFor: RealProgram['adapterFor'] = (context) =>
    createAcpAdapter({ ...about[kind], profile: profiles[kind] }, context, patient)
  const bench = (bin: string) => realBench({ startModel, surround, adapterFor, bin })

  runAdapterSuite(`${kind} ${'skipped' in found ? '' : found.version}, the real program`, {
    type: kind,
    ...('skipped' in found ? { skipped: found.skipped } : {}),
    timeoutMs,
    sharesProcess: true,
    ...(plays ? { plays } : {}),
    createBench: () => bench('skipped' in found ? nowhere : found.bin),
    createWithoutProgram: async () => {
      const empty = await bench(nowhere)
      await empty.dispose()
      return empty.adapter
    },
    tells: { numTurns: false, stopReason: true, apiDuration: false, denials: false },
    otherModel,
    ...(missingModel === undefined ? {} : { missingModel }),
    prompts: {
      text: (answer) => prompt({ text: answer }),
      longStream: () => prompt({ text: 'It begins, and', chunk: 4, hang: true }),
      toolThatAsks: (file, content, closing) => ({
        ...prompt(shell(write(content, file)), { text: closing }),
        toolName,
      }),
      toolThatPrints: (marker, closing) => prompt(shell(`echo ${marker}`), { text: closing }),
      slowTool: (file) => prompt(shell(begin(file))),
      printEnv: (name) => prompt(shell(printEnv(name)), { text: 'Done.' }),
    },
    fields: { ...protocolFields, ...fields },
  })
}
