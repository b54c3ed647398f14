import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createScriptedAdapter } from '@roundhouse/adapter-scripted'
import type { BackendAdapter, BackendProcess, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProgramRunner, type RunnerPorts } from './program-runner'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'roundhouse-runner-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A program whose start ends when the test says so. What it was told is in `told`. */
function heldProgram() {
  const told: object[] = []
  const starts: Array<{ options: SpawnOptions; end: (error?: Error) => void }> = []
  const spawned = new EventEmitter()
  /** Resolves once the program was started so often. */
  const started = async (count: number) => {
    while (starts.length < count) await once(spawned, 'start')
  }
  const process = { pid: 1, isAlive: () => true } as BackendProcess
  const { type, capabilities, accepted } = createScriptedAdapter({ env: {}, scratchDir: folder, roots: [folder] })
  const adapter = {
    type,
    capabilities,
    accepted,
    spawn: (options: SpawnOptions) =>
      new Promise<BackendProcess>((resolve, reject) => {
        starts.push({ options, end: (error) => (error ? reject(error) : resolve(process)) })
        spawned.emit('start')
      }),
    configure: async (_process: BackendProcess, change: object) => {
      told.push(change)
      return []
    },
    stop: async () => {},
  } as unknown as BackendAdapter
  return { adapter, starts, started, told }
}

function runnerOf(adapter: BackendAdapter): ProgramRunner {
  const nothing = () => {}
  const ports = {
    sessionId: 'ses_held',
    adapter: async () => adapter,
    journal: { write: async () => {}, record: async () => {} },
    conversation: { current: { state: 'none' }, goOnWith: () => ({ meta: {} }) },
    wish: { after: () => ({ meta: {} }) },
    record: { isGone: () => false, started: nothing, ended: nothing },
    guard: { watch: nothing },
    memory: { recall: () => null },
    settings: {
      require: () => ({ settings: { backend: 'scripted', workDir: folder }, realWorkDir: folder }),
      accepted: nothing,
      refused: nothing,
    },
    own: () => ({}),
    newId: () => 'proc_1',
    forbids: () => null,
    left: nothing,
    wire: nothing,
    changed: nothing,
  }
  return new ProgramRunner(ports as unknown as RunnerPorts)
}

describe('a program that is starting', () => {
  it('[RES-4] with other settings than those that are wanted now is told the new ones before anybody gets it', async () => {
    const { adapter, starts, started, told } = heldProgram()
    const runner = runnerOf(adapter)
    const first = runner.ensure({ mode: 'default' }, '')
    await started(1)
    const second = runner.ensure({ mode: 'plan' }, 'Look only.')
    starts[0]?.end()
    const [one, other] = await Promise.all([first, second])
    expect(other).toBe(one)
    expect(told).toEqual([{ mode: 'plan' }])
    expect(other.applied).toEqual({ mode: 'plan' })
    expect(starts).toHaveLength(1)
  })

  it('[RES-4] with the settings that are wanted is started once, and its failure is told to all who wait', async () => {
    const { adapter, starts, started } = heldProgram()
    const runner = runnerOf(adapter)
    const both = [runner.ensure({ mode: 'plan' }, ''), runner.ensure({ mode: 'plan' }, 'Look only.')]
    await started(1)
    starts[0]?.end(new Error('no such program'))
    const ends = await Promise.allSettled(both)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(starts).toHaveLength(1)
  })

  it('[RES-4] with settings that it refuses is started again with those of the next prompt', async () => {
    const { adapter, starts, started } = heldProgram()
    const runner = runnerOf(adapter)
    const refused = runner.ensure({ model: 'none' }, '')
    await started(1)
    const next = runner.ensure({ mode: 'plan' }, 'Look only.')
    starts[0]?.end(new Error('no such model'))
    await expect(refused).rejects.toThrow('no such model')
    await started(2)
    starts[1]?.end()
    expect((await next).applied).toEqual({ mode: 'plan' })
  })
})
