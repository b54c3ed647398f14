/** The adapter on a fake program, with folders and processes that every test gives back. */
import { readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect, type Recorder } from '@roundhouse/adapter-testkit'
import type { AdapterContext, BackendAdapter, BackendProcess, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, expect } from 'vitest'
import { type ClaudeAdapterOptions, createClaudeAdapter } from '../adapter'

export const fake = fileURLToPath(new URL('../../fixtures/fake-claude.mjs', import.meta.url))
/** Unique on the machine: a reaper ends whatever carries the mark of its session. */
export const SESSION = `claude-adapter-test-${process.pid}`
export const ID = '11111111-1111-4111-8111-111111111111'
export const cleanups: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

export async function folder(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'claude-')))
  cleanups.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export interface Setup {
  start?: string
  limits?: ClaudeAdapterOptions['limits']
  rawFrames?: boolean
  context?: Partial<AdapterContext>
}

export async function setup({
  start = '',
  limits,
  rawFrames,
  context,
}: Setup = {}): Promise<{ adapter: BackendAdapter; workDir: string }> {
  const workDir = await folder()
  const env = { PATH: dirname(process.execPath), FAKE_START: start }
  const adapter = createClaudeAdapter({ binaryPath: fake, scratchDir: workDir, env, ...context }, { limits, rawFrames })
  return { adapter, workDir }
}

export async function running(given: Setup & { options?: Partial<SpawnOptions> } = {}): Promise<{
  adapter: BackendAdapter
  process: BackendProcess
  recorder: Recorder
  workDir: string
}> {
  const { adapter, workDir } = await setup(given)
  const process = await adapter.spawn({ sessionId: SESSION, workDir, ...given.options })
  cleanups.push(() => process.kill())
  return { adapter, process, recorder: collect(adapter, process), workDir }
}

export const code = (expected: string) => expect.objectContaining({ code: expected })

/** One that nobody has collected yet counts as gone. */
export function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch {
    return false
  }
}
