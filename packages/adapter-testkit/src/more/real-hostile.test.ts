/** Qwen Code and OpenClaw in a repository that allows everything and wants to run its own programs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openclawEnvironment, qwenEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { hostileRepository } from '../hostile-repository'
import { type RealProgram, realBench } from '../real-bench'
import { allowAll, collect } from '../rig/recorder'

const found = await findRealBackends('qwen', 'openclaw')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-hostile-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Kind = 'qwen' | 'openclaw'
const guarded = profiles.openclaw.launch?.privateConfig
if (guarded === undefined) throw new Error('OpenClaw has no configuration of its own.')
type ConfigPlace = Parameters<typeof guarded.of>[0]
const description = 'scripted command'
const programs = {
  qwen: {
    surround: qwenEnvironment,
    step: (command) => ({ tool: 'run_shell_command', input: { command, description, is_background: false } }),
    // As a program has it that knows nothing of guards.
    careless: {
      ...profiles.qwen,
      modes: [],
      guard: { ...profiles.qwen.guard, distrust: {} },
      launch: {},
      says: { ...profiles.qwen.says, args: () => [] },
    },
  },
  openclaw: {
    surround: openclawEnvironment,
    step: (command) => ({ tool: 'exec', input: { command } }),
    careless: {
      ...profiles.openclaw,
      launch: {
        ...profiles.openclaw.launch,
        privateConfig: {
          ...guarded,
          of: (place: ConfigPlace) => ({ ...guarded.of(place), tools: place.owners.tools }),
        },
      },
    },
  },
} as const satisfies Record<
  Kind,
  Pick<RealProgram, 'surround'> & { step(command: string): Step; careless: (typeof profiles)[Kind] }
>

/** One command: how often was asked, whether it ran, and what of the repository ran. Qwen asks git at each start. */
async function playIn(kind: Kind, guarded: boolean) {
  const { workDir, ran } = hostileRepository(folder, guarded ? kind : `careless-${kind}`)
  const { surround, step, careless } = programs[kind]
  const program = found[kind]
  const profile = guarded ? profiles[kind] : careless
  const adapterFor: RealProgram['adapterFor'] = (context) => createAcpAdapter({ ...about[kind], profile }, context)
  const bin = 'bin' in program ? program.bin : ''
  const bench = await realBench({ startModel: startChatModel, surround, adapterFor, bin })
  try {
    const recorder = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir }))
    const turn = await recorder.turn(script([step('touch ran.txt'), { text: 'Done.' }]), allowAll)
    await bench.adapter.stop(recorder.process)
    return { asks: turn.asks.length, ran: ran().filter((one) => one !== 'filter') }
  } finally {
    await bench.dispose()
  }
}

describe.each(['qwen', 'openclaw'] as const)('the real %s', (kind) => {
  it.skipIf('skipped' in found[kind])(
    '[T64] asks about a command, and starts nothing of a repository that allows everything',
    { timeout: 600_000 },
    async () => {
      expect(await playIn(kind, true)).toEqual({ asks: 1, ran: [] })
    },
  )

  it.skipIf('skipped' in found[kind])(
    'without our guard runs the same command unasked',
    { timeout: 600_000 },
    async () => {
      const { asks, ran } = await playIn(kind, false)
      expect([asks, ran]).toEqual([0, kind === 'qwen' ? expect.arrayContaining(['mcp']) : ran])
    },
  )
})
