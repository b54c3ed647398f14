/** What a provider promises, over the adapter of a real program. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import {
  createProvider,
  type Event,
  type Handle,
  type Provider,
  type ProviderOptions,
  type Spec,
} from '@roundhouse/runtime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Bench, HarnessPrompts } from '../rig/harness'

export interface ProviderHarness {
  name: string
  skipped?: string
  timeoutMs?: number
  createBench(): Promise<Bench>
  createWithoutProgram(): Promise<Bench['adapter']>
  prompts: Pick<HarnessPrompts, 'text' | 'longStream' | 'toolThatAsks' | 'printEnv'>
  /** Its tool `add` is called `mcp__sums__add`, and its configuration takes no other servers. */
  sums: NonNullable<Spec['mcpStdioServers']>[number]
  takesMaxTurns?: boolean
  /** What this provider does not take, and the refusal. */
  unsupported: Array<[over: Partial<Spec>, details: object]>
}

export function providerRules(harness: ProviderHarness): void {
  const { prompts, timeoutMs = 20_000 } = harness
  let bench: Bench
  const providers: Provider[] = []

  const rule = (title: string, check: () => Promise<void>) =>
    it(title, { timeout: timeoutMs }, async (context) => {
      if (harness.skipped !== undefined && process.env.CI === 'true') throw new Error(`not tested: ${harness.skipped}`)
      if (harness.skipped !== undefined) context.skip(harness.skipped)
      await check()
    })

  beforeAll(async () => {
    if (harness.skipped === undefined) bench = await harness.createBench()
  }, timeoutMs)
  afterAll(async () => {
    await Promise.all(providers.map((provider) => provider.shutdown()))
    await bench?.dispose()
  }, timeoutMs)

  async function provide(options: Partial<ProviderOptions> = {}): Promise<Provider> {
    const scratchDir = mkdtempSync(join(bench.otherDir, 'scratch-'))
    const provider = await createProvider(bench.adapter, { scratchDir, ...options })
    providers.push(provider)
    return provider
  }

  const specOf = (prompt: string, over: Partial<Spec> = {}): Spec => {
    const least = { cwd: bench.workDir, env: {}, autonomous: false, sandboxEnabled: true }
    return { ...least, prompt, ...over }
  }

  rule('a session is one init, its events, one result, then closed; and its id resumes it', async () => {
    const provider = await provide()
    const handle = await provider.spawn(specOf(prompts.text('The word is heron.').text))
    const events = await all(handle)
    expectOrder(events)
    expect(events[0]).toEqual({ kind: 'init', sessionId: handle.sessionId() })
    expect(events.at(-1)).toMatchObject({ kind: 'result', success: true, message: 'The word is heron.' })

    const again = await provider.resume(handle.sessionId(), specOf(prompts.text('Back again.').text))
    expect((await all(again)).at(-1)).toMatchObject({ success: true, message: 'Back again.' })
    expect(again.sessionId()).toBe(handle.sessionId())
    expect((await bench.modelView()).userTexts.join('\n')).toContain('The word is heron.')
  })

  rule('the caller learns the process, and a crash in the turn is one error, then closed', async () => {
    const pids: number[] = []
    const onProcessSpawned = (pid: number) => void pids.push(pid)
    const handle = await (await provide()).spawn(specOf(prompts.longStream().text, { onProcessSpawned }))
    process.kill(pids[0] ?? 0, 'SIGKILL')
    const events = await all(handle)
    expectOrder(events)
    expect(events.at(-1)).toMatchObject({ kind: 'error', code: 'BACKEND_CRASHED' })
    expect(pids).toHaveLength(1)
    await expect(handle.inject('still there?')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  rule('a stopped session is one result that says so, then closed, and its process is gone', async () => {
    let pid = 0
    const provider = await provide()
    const spec = specOf(prompts.longStream().text, { onProcessSpawned: (one) => (pid = one) })
    const handle = await provider.spawn(spec)
    await handle.stop()
    await handle.stop()
    const events = await all(handle)
    expectOrder(events)
    expect(events.at(-1)).toMatchObject({ kind: 'result', success: false, errorSubtype: 'stopped' })
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  rule('a tool runs if the named person allows it, and not in an autonomous session', async () => {
    for (const autonomous of [false, true]) {
      const file = join(bench.workDir, `asked-${autonomous}.txt`)
      const provider = await provide({ ask: async () => ({ decision: 'allow' }) })
      const events = await all(
        await provider.spawn(specOf(prompts.toolThatAsks(file, 'x', 'Done.').text, { autonomous })),
      )
      expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(autonomous ? false : 'x')
      const uses = events.filter((event) => event.kind === 'tool_use' && event.toolCategory === 'filesystem')
      const results = events.filter((event) => event.kind === 'tool_result')
      expect(uses).toMatchObject([{ input: { content: 'x' } }])
      expect(results).toMatchObject([
        { isError: autonomous, toolName: uses[0]?.kind === 'tool_use' && uses[0].toolName },
      ])
    }
  })

  rule('the MCP servers of a Spec are there, and their file is gone after the session', async () => {
    const scratchDir = mkdtempSync(join(bench.otherDir, 'servers-'))
    const provider = await provide({ scratchDir, ask: async () => ({ decision: 'allow' }) })
    const steps = [{ tool: 'mcp__sums__add', input: { a: 19, b: 23 } }, { text: 'Done.' }]
    const handle = await provider.spawn(specOf(script(steps), { mcpStdioServers: [harness.sums] }))
    const result = (await all(handle)).find((event) => event.kind === 'tool_result')
    expect(result).toMatchObject({ isError: false })
    expect(readdirSync(scratchDir)).toEqual([])
  })

  rule('variables of the Spec are set, those of the house are not, and the events say so', async () => {
    const env = { ROUNDHOUSE_SESSION: 'mine', COLOUR: 'vermilion' }
    const provider = await provide({ ask: async () => ({ decision: 'allow' }) })
    const events = await all(await provider.spawn(specOf(prompts.printEnv('COLOUR').text, { env })))
    expect(events.find(({ kind }) => kind === 'tool_result')).toMatchObject({
      content: expect.stringContaining('vermilion'),
    })
    expect(events[1]).toMatchObject({ kind: 'system', subtype: 'env_blocked', raw: { names: ['ROUNDHOUSE_SESSION'] } })
  })

  if (harness.takesMaxTurns) {
    rule('a session ends after as many turns as its Spec says', async () => {
      const provider = await provide({ ask: async () => ({ decision: 'allow' }) })
      const steps = ['ls', 'pwd', 'ls'].map((command) => ({ tool: 'Bash', input: { command, description: 'One' } }))
      const events = await all(
        await provider.spawn(specOf(script([...steps, { text: 'Never said.' }]), { maxTurns: 1 })),
      )
      expect(events.at(-1)).toMatchObject({ kind: 'result', success: false, errorSubtype: 'error_max_turns' })
    })
  }

  rule('what the program does not take is UNSUPPORTED before anything starts', async () => {
    const provider = await provide()
    for (const [over, details] of harness.unsupported) {
      let started = false
      const spec = specOf('x', { ...over, onProcessSpawned: () => (started = true) })
      await expect(provider.spawn(spec)).rejects.toMatchObject({ code: 'UNSUPPORTED', details })
      expect(started).toBe(false)
    }
  })

  rule('an unknown session is SESSION_NOT_FOUND, a missing folder is no missing program', async () => {
    const provider = await provide()
    const unknown = provider.resume('0b5b6c2e-0000-4000-8000-000000000000', specOf('x'))
    await expect(unknown).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    const nowhere = provider.spawn(specOf('x', { cwd: `${bench.workDir}/nowhere` }))
    await expect(nowhere).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  rule('a missing program is PROVIDER_UNAVAILABLE at once, and SPAWN_FAILED where it went missing since', async () => {
    const adapter = await harness.createWithoutProgram()
    const options = { scratchDir: bench.otherDir }
    await expect(createProvider(adapter, options)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    const manifest = await bench.adapter.getManifest()
    const provider = await createProvider({ ...adapter, getManifest: async () => manifest }, options)
    await expect(provider.spawn(specOf('x'))).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
  })

  rule('a provider that is shut down has ended its sessions and starts none', async () => {
    const provider = await provide()
    const handle = await provider.spawn(specOf(prompts.longStream().text))
    await provider.shutdown()
    expect((await all(handle)).at(-1)).toMatchObject({ kind: 'result', errorSubtype: 'stopped' })
    await expect(provider.spawn(specOf('x'))).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  })

  rule('a provider always says the same name and capabilities', async () => {
    const provider = await provide()
    expect([provider.name(), provider.name()]).toEqual([harness.name, harness.name])
    // Nobody judges rules here.
    const held = { ...bench.adapter.capabilities, needsPermissionConfig: false }
    expect([provider.capabilities(), provider.capabilities()]).toEqual([held, held])
  })
}

async function all(handle: Handle): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of handle.events()) events.push(event)
  return events
}

/** The promise of the contract. */
function expectOrder(events: Event[]): void {
  const at = (kinds: string[]) => events.flatMap(({ kind }, index) => (kinds.includes(kind) ? [index] : []))
  expect(at(['init'])).toEqual([0])
  expect(at(['result', 'error'])).toEqual([events.length - 1])
}
