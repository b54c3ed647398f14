/** What `AgentRuntime.execute` promises, over the adapter of a real program. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent, AgentExecuteParams, AgentRunResult, BackendProcess } from '@roundhouse/backend-types'
import { AgentEvent as AgentEventSchema } from '@roundhouse/backend-types'
import { AdapterRuntime, type RuntimeOptions } from '@roundhouse/runtime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdapterHarness, Bench } from '../rig/harness'
import { canSeeMarks, MARK, processesWithMark } from '../rig/leftovers'
import { isRunning, until } from '../suite/kit'

export interface RuntimeHarness extends Pick<AdapterHarness, 'skipped' | 'timeoutMs' | 'createBench' | 'tells'> {
  prompts: Pick<AdapterHarness['prompts'], 'text' | 'longStream' | 'toolThatAsks' | 'slowTool' | 'printEnv'>
  /** A server that gives the tool `add`, and a prompt that calls it. Absent: the program takes no servers. */
  sums?: { servers: NonNullable<AgentExecuteParams['mcpServers']>; prompt: string }
  /** Its system prompt stands above the conversation, not in the first message. */
  hasSystem?: boolean
}

export function runtimeRules(harness: RuntimeHarness): void {
  const { prompts, timeoutMs = 20_000 } = harness
  const mark = `runtime-${process.pid}-${Math.random()}`
  let bench: Bench

  const rule = (title: string, check: () => Promise<void>) =>
    it(title, { timeout: timeoutMs }, async (context) => {
      if (harness.skipped !== undefined && process.env.CI === 'true') throw new Error(`not tested: ${harness.skipped}`)
      if (harness.skipped !== undefined) context.skip(harness.skipped)
      await check()
    })

  beforeAll(async () => {
    if (harness.skipped === undefined) bench = await harness.createBench()
  }, timeoutMs)
  afterAll(() => bench?.dispose(), timeoutMs)

  /** Everything that one run tells. */
  async function play(prompt: string, params: Partial<AgentExecuteParams> = {}, options: Partial<RuntimeOptions> = {}) {
    let program: BackendProcess | undefined
    const scratchDir = mkdtempSync(join(bench.otherDir, 'scratch-'))
    const { sandbox, mode } = bench.spawnOptions ?? {}
    const spawn = { ...(sandbox && { sandbox }), ...(mode && { mode }) }
    const spawned = (process: BackendProcess) => (program = process)
    const runtime = new AdapterRuntime(bench.adapter, {
      ...{ scratchDir, spawn, spawned },
      // The mark of the test is one of the blocked names.
      isBlockedVariable: () => false,
      ...options,
    })
    const { env, workDir } = { ...bench.spawnOptions, workDir: bench.workDir }
    const events: AgentEvent[] = []
    const asked = { prompt, workingDirectory: workDir, ...params, env: { ...env, ...params.env, [MARK]: mark } }
    for await (const event of runtime.execute(asked)) {
      events.push(event)
      reading?.(event)
    }
    reading = undefined
    expectOrder(events)
    return { events, result: resultOf(events), program, scratchDir }
  }
  let reading: ((event: AgentEvent) => void) | undefined

  async function expectNothingLeft(program: BackendProcess | undefined): Promise<void> {
    expect(program?.isAlive()).toBe(false)
    if (program?.pid !== undefined) expect(isRunning(program.pid)).toBe(false)
    if (canSeeMarks) await until(() => processesWithMark(mark).length === 0)
  }

  const allow: RuntimeOptions['ask'] = async () => ({ decision: 'allow' })

  rule(
    '[EXEC-1.1] a run is its events and one done, and leaves no process; its id continues the conversation',
    async () => {
      const { events, result, program } = await play(prompts.text('The word is heron.').text)
      expect(events.map(({ type }) => type)).toEqual(['text', 'done'])
      expect(result).toMatchObject({ text: 'The word is heron.', aborted: false, durationMs: expect.any(Number) })
      expect(result).not.toHaveProperty('errorSubtype')
      await expectNothingLeft(program)
      const sessionId = result.sessionId ?? ''
      expect(sessionId).not.toBe('')
      const again = await play(prompts.text('Back again.').text, { sessionId })
      expect(again.result).toMatchObject({ text: 'Back again.', sessionId })
      expect((await bench.modelView()).userTexts.join('\n')).toContain('The word is heron.')
    },
  )

  rule('[EXEC-1.8] the result has the figures that the program reports, and no others', async () => {
    const { result } = await play(prompts.text('How much was it?').text)
    const { tells } = harness
    const { capabilities } = bench.adapter
    expect(result.numTurns).toEqual(tells.numTurns ? 1 : undefined)
    expect(result.stopReason).toEqual(tells.stopReason ? expect.any(String) : undefined)
    expect(result.apiDurationMs).toEqual(tells.apiDuration ? expect.any(Number) : undefined)
    expect(result.totalCostUsd).toEqual(capabilities.reportsCost ? expect.any(Number) : undefined)
    if (capabilities.reportsUsage !== false) expect(result.usage?.inputTokens).toBeGreaterThan(0)
  })

  rule('[EXEC-1.5] its folder, its variables and its instructions hold', async () => {
    const env = await play(prompts.printEnv('RUN_COLOUR').text, { env: { RUN_COLOUR: 'vermilion' } }, { ask: allow })
    const results = env.events.filter(({ type }) => type === 'tool_result')
    expect(JSON.stringify(results)).toContain('vermilion')
    await play(prompts.text('Hello.').text, { systemPrompt: 'Always mention the lighthouse.' })
    const { system, userTexts } = await bench.modelView()
    expect(harness.hasSystem ? system : userTexts.join('\n')).toContain('Always mention the lighthouse.')
  })

  rule(
    '[EXEC-3.1] [EXEC-3.2] a tool runs if the named person allows it; where nobody is, the result says that it was denied',
    async () => {
      for (const ask of [allow, undefined]) {
        const file = join(bench.workDir, `run-${ask === undefined}.txt`)
        const { text } = prompts.toolThatAsks(file, 'as asked', 'That was it.')
        const { events, result } = await play(text, {}, ask ? { ask } : {})
        expect(existsSync(file) && readFileSync(file, 'utf8').trim()).toBe(ask ? 'as asked' : false)
        const use = events.find((event) => event.type === 'tool_use')
        expect(events).toContainEqual(
          expect.objectContaining({ type: 'tool_result', toolId: use?.toolId, ...(ask ? {} : { isError: true }) }),
        )
        const denied = [{ tool: expect.any(String), reason: 'Nobody is here to allow it.' }]
        expect(result.permissionDenials).toEqual(ask ? undefined : denied)
      }
    },
  )

  if (harness.sums) {
    const { servers, prompt } = harness.sums
    rule('[EXEC-1.5] its MCP servers are there, and their file is gone after the run', async () => {
      const { events, scratchDir } = await play(prompt, { mcpServers: servers }, { ask: allow })
      expect(JSON.stringify(events.filter(({ type }) => type === 'tool_result'))).toContain('sum 42')
      expect(readdirSync(scratchDir)).toEqual([])
    })
  }

  rule('[EXEC-2.1] an abort while a tool runs is done with aborted, and leaves no process', async () => {
    const file = join(bench.workDir, 'slow.txt')
    const stop = new AbortController()
    const begun = until(() => existsSync(file)).then(() => stop.abort())
    const { events, result, program } = await play(
      prompts.slowTool(file).text,
      { abortSignal: stop.signal },
      { ask: allow },
    )
    await begun
    expect(result).toMatchObject({ aborted: true })
    const uses = events.filter(({ type }) => type === 'tool_use')
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(uses.length)
    await expectNothingLeft(program)
  })

  rule('[EXEC-2.3] an abort while the program starts leaves none either', async () => {
    const stop = new AbortController()
    const aborting = play(prompts.text('Never said.').text, { abortSignal: stop.signal })
    setImmediate(() => stop.abort())
    const { result, program } = await aborting
    expect(result).toMatchObject({ text: '', aborted: true })
    if (program) await expectNothingLeft(program)
    else if (canSeeMarks) await until(() => processesWithMark(mark).length === 0)
  })

  rule('[EXEC-1.4] a program that dies in the turn is an error and done', async () => {
    const kill = (process: BackendProcess) => {
      const { adapter } = bench
      adapter.onLive?.(process, () => globalThis.process.kill(process.pid ?? 0, 'SIGKILL'))
    }
    const { events, result } = await play(prompts.longStream().text, {}, { spawned: kill })
    expect(events.at(-2)).toMatchObject({ type: 'error', code: 'BACKEND_CRASHED' })
    expect(result).toMatchObject({ aborted: false, errorSubtype: 'BACKEND_CRASHED' })
  })

  rule(
    '[EXEC-1.6] a folder that does not exist, and a conversation that nobody knows, are an error and done',
    async () => {
      for (const [params, code] of [
        [{ workingDirectory: `${bench.workDir}/nowhere` }, 'INVALID_ARGUMENT'],
        [{ sessionId: '0b5b6c2e-0000-4000-8000-000000000000' }, 'RESUME_UNAVAILABLE'],
      ] as const) {
        const { events } = await play(prompts.text('Never said.').text, params)
        expect(events).toMatchObject([
          { type: 'error', code },
          { type: 'done', result: { text: '', errorSubtype: code } },
        ])
      }
    },
  )
}

/** Exactly one `done`, at the end; each result behind its call; nothing that the contract does not know. */
function expectOrder(events: readonly AgentEvent[]): void {
  for (const event of events) expect(AgentEventSchema.parse(event)).toEqual(event)
  expect(events.flatMap(({ type }, at) => (type === 'done' ? [at] : []))).toEqual([events.length - 1])
  const calls = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool_use') calls.add(event.toolId)
    if (event.type === 'tool_result') expect(calls.has(event.toolId)).toBe(true)
  }
}

function resultOf(events: readonly AgentEvent[]): AgentRunResult {
  const last = events.at(-1)
  if (last?.type !== 'done') throw new Error('no done')
  return last.result
}
