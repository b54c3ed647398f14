/**
 * What every rule works with: a bench that is made on first use, processes that carry the mark and are ended after each
 * test, and `rule`, which is `it` for a backend that may be absent.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendAdapter, SpawnOptions } from '@roundhouse/backend-types'
import { afterAll, afterEach, it, onTestFailed } from 'vitest'
import type { AdapterHarness, Bench, FieldKit, HarnessPrompt } from '../rig/harness'
import { MARK } from '../rig/leftovers'
import { collect, type Decider, type Recorder, type Turn } from '../rig/recorder'
import { SharedProcess } from '../rig/shared-process'

const DEFAULT_TIMEOUT_MS = 20_000

export class Kit {
  private readonly benches: Promise<Bench>[] = []
  private readonly started: Recorder[] = []
  private readonly shared: SharedProcess
  private files = 0

  constructor(
    readonly harness: AdapterHarness,
    readonly mark: string,
  ) {
    this.shared = new SharedProcess(harness.sharesProcess === true)
  }

  get prompts() {
    return this.harness.prompts
  }

  /** One bench for all rules; call inside a rule only. */
  bench(): Promise<Bench> {
    const bench = this.benches[0] ?? this.harness.createBench()
    this.benches[0] = bench
    return bench
  }

  /** With options it is a process of its own. */
  async start(options: Partial<SpawnOptions> = {}): Promise<Recorder> {
    const isPlain = Object.keys(options).length === 0
    const recorder = (isPlain && this.shared.again()) || (await this.spawn(options))
    if (isPlain) this.shared.keep(recorder)
    onTestFailed(() => console.error(`reported by ${recorder.process.id}:\n${recorder.describe()}`))
    return recorder
  }

  /** A process of its own also where plain ones are shared. */
  async startOwn(options: Partial<SpawnOptions> = {}): Promise<Recorder> {
    const recorder = await this.spawn(options)
    onTestFailed(() => console.error(`reported by ${recorder.process.id}:\n${recorder.describe()}`))
    return recorder
  }

  private async spawn(options: Partial<SpawnOptions>): Promise<Recorder> {
    const { adapter } = await this.bench()
    const recorder = collect(adapter, await adapter.spawn(await this.options(options)))
    this.started.push(recorder)
    return recorder
  }

  /** What `spawn` rejects with. A process that it gives all the same is ended. */
  async refusal(options: Partial<SpawnOptions>, adapter?: BackendAdapter): Promise<unknown> {
    const spawning = (adapter ?? (await this.bench()).adapter).spawn(await this.options(options))
    return spawning.then(
      async (process) => {
        await process.kill()
        return 'it was not refused'
      },
      (error: unknown) => error,
    )
  }

  async options(options: Partial<SpawnOptions> = {}): Promise<SpawnOptions> {
    const bench = await this.bench()
    const env = { ...bench.spawnOptions?.env, ...options.env, [MARK]: this.mark }
    return { sessionId: `session-${randomUUID()}`, workDir: bench.workDir, ...bench.spawnOptions, ...options, env }
  }

  /** Spawns what the prompt needs and plays its turn. */
  async play(prompt: HarnessPrompt, decider?: Decider): Promise<{ recorder: Recorder; turn: Turn }> {
    const recorder = await this.start(prompt.spawn)
    return { recorder, turn: await recorder.turn(prompt.text, decider) }
  }

  /** The absolute path of a file that is not there yet. */
  async newFile(): Promise<string> {
    return join((await this.bench()).workDir, `file-${++this.files}.txt`)
  }

  /** All but the shared one, unless that is busy or dead. */
  async endStarted(): Promise<void> {
    const ending = this.started.splice(0)
    const kept = ending.filter(({ process }) => this.shared.isIdle(process))
    this.started.push(...kept)
    const others = ending.filter((recorder) => !kept.includes(recorder))
    await Promise.all(others.map(({ adapter, process }) => adapter.stop(process)))
  }

  async endAll(): Promise<void> {
    this.shared.forget()
    await this.endStarted()
  }

  async dispose(): Promise<void> {
    await this.endAll()
    for (const bench of this.benches.splice(0)) await (await bench).dispose()
  }

  async fieldKit(): Promise<FieldKit> {
    return { bench: await this.bench(), start: (options) => this.start(options) }
  }

  /** A test of one rule. Where the backend is absent it is reported as skipped, and fails where that must not happen. */
  readonly rule = (title: string, check: () => Promise<void>): void => {
    const { skipped, plays, timeoutMs = DEFAULT_TIMEOUT_MS } = this.harness
    if (plays?.(title) === false) return
    it(title, { timeout: timeoutMs }, async (context) => {
      if (skipped !== undefined && process.env.CI === 'true') throw new Error(`not tested: ${skipped}`)
      if (skipped !== undefined) context.skip(skipped)
      await check()
    })
  }
}

export function setUpKit(harness: AdapterHarness, mark: string): Kit {
  const kit = new Kit(harness, mark)
  afterEach(() => kit.endStarted(), harness.timeoutMs)
  afterAll(() => kit.dispose(), harness.timeoutMs)
  return kit
}

export function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** A program's children may outlive it by a moment; nothing tells when they are gone, so this looks again and again. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
