// Events, one done, then closed: whatever an adapter does.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DrivenProcess, defineAdapter, Relay, type Report } from '@roundhouse/adapter-kit'
import {
  type AgentEvent,
  type AgentExecuteParams,
  type Capabilities,
  CodedError,
  type PermissionDecision,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { AdapterRuntime } from './agent-runtime'
import type { RuntimeOptions } from './execution'

const session: Report = { type: 'session', info: { backendSessionId: 'b-1' } }
const text = (value: string, blockId?: string): Report => ({
  type: 'output',
  output: { kind: 'assistant_text', text: value, ...(blockId === undefined ? {} : { blockId }) },
})
const piece = (value: string, more = {}): Report => ({
  type: 'live',
  delta: { blockId: 'x', kind: 'assistant_text', text: value, ...more },
})
const call: Report = {
  type: 'output',
  output: { kind: 'tool_use', callId: 'c', toolName: 'Bash', input: { command: 'ls' } },
}
const over = (info = {}): Report => ({ type: 'turn_completed', info: { backendSessionId: 'b-1', ...info } })
const asks: Report = { type: 'ask', request: { callId: 'c', toolName: 'Bash', input: { command: 'ls' } } }

/** A program that reports these when its prompt arrives. */
function playing(reports: Report[], options: Partial<RuntimeOptions> = {}, started?: () => Promise<void>) {
  const relay = new Relay()
  const seen = {
    spawns: [] as SpawnOptions[],
    prompts: [] as string[],
    kills: 0,
    decisions: [] as PermissionDecision[],
    paused: [] as boolean[],
  }
  const process: DrivenProcess = {
    id: 'p',
    workDir: '/w',
    relay,
    kill: async () => void seen.kills++,
    isAlive: () => true,
    send(input) {
      seen.prompts.push(input)
      for (const report of reports.splice(0)) relay.report(report)
    },
    decide: async (decision) => void seen.decisions.push(decision),
    pauseOutput: (paused) => void seen.paused.push(paused),
  }
  const adapter = defineAdapter({
    type: 'fourth',
    capabilities: { supportsPermissions: true } as Capabilities,
    getManifest: () => Promise.reject(new Error('not asked')),
    refusePrompt: (prompt) => (prompt === '/forbidden' ? new CodedError('POLICY_DENIED') : null),
    async start(given) {
      seen.spawns.push(given)
      await started?.()
      return process
    },
  })
  const runtime = new AdapterRuntime(adapter, { scratchDir: '/nowhere', nowMs: () => 7, ...options })
  return { runtime, relay, seen }
}

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of given) found.push(one)
  return found
}
const play = (reports: Report[], params: Partial<AgentExecuteParams> = {}, options: Partial<RuntimeOptions> = {}) =>
  all(playing(reports, options).runtime.execute({ prompt: 'go', ...params }))
const resultOf = (events: AgentEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'done' ? last.result : undefined
}

describe('[EXEC-1] a run', () => {
  it('[EXEC-1.1] is its events in order and one done, and nothing that is reported afterwards', async () => {
    const result: Report = { type: 'output', output: { kind: 'tool_result', callId: 'c', output: { code: 0 } } }
    const figures = { cost: 0.5, usage: { inputTokens: 9, outputTokens: 2 }, numTurns: 2, stopReason: 'end_turn' }
    const reports = [session, text('One.'), call, result, text('Two.'), over({ ...figures, apiDuration: 4 })]
    expect(
      await play([...reports, text('late'), over(), { type: 'exit', code: 1, info: { signal: null, stderrTail: '' } }]),
    ).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'tool_use', toolName: 'Bash', toolId: 'c', input: { command: 'ls' } },
      { type: 'tool_result', toolId: 'c', output: '{"code":0}' },
      { type: 'text', text: 'Two.' },
      {
        type: 'done',
        result: {
          text: 'One.\n\nTwo.',
          sessionId: 'b-1',
          durationMs: 0,
          usage: { inputTokens: 9, outputTokens: 2 },
          aborted: false,
          totalCostUsd: 0.5,
          apiDurationMs: 4,
          numTurns: 2,
          stopReason: 'end_turn',
        },
      },
    ])
  })

  it('[EXEC-1.2] starts when somebody reads, and is closed when its program is gone', async () => {
    const { runtime, seen } = playing([session, over()])
    const events = runtime.execute({ prompt: 'go' })
    expect(seen.spawns).toEqual([])
    await all(events)
    expect([seen.spawns.length, seen.kills]).toEqual([1, 1])
  })

  it('[EXEC-1.3] whose reader leaves has ended its program by then', async () => {
    const { runtime, seen } = playing([session, text('One.'), text('Two.')])
    for await (const event of runtime.execute({ prompt: 'go' })) {
      expect(event).toEqual({ type: 'text', text: 'One.' })
      break
    }
    expect(seen.kills).toBe(1)
  })

  it('[EXEC-1.4] of a program that ends in the turn is an error and done, and its calls are closed', async () => {
    const exit: Report = { type: 'exit', code: 3, info: { signal: null, stderrTail: 'out of luck' } }
    const events = await play([session, call, exit])
    expect(events.slice(1)).toMatchObject([
      { type: 'error', code: 'BACKEND_CRASHED', message: 'The program ended unexpectedly.' },
      { type: 'tool_result', toolId: 'c', isError: true },
      { type: 'done', result: { aborted: false, errorSubtype: 'BACKEND_CRASHED' } },
    ])
  })

  it('[EXEC-1.5] takes what its params say', async () => {
    const { runtime, seen } = playing([over()], { spawn: { model: 'm', allowedTools: ['Read'] } })
    const params = { prompt: 'go', systemPrompt: 'Be brief.', sessionId: 's', workingDirectory: '/w', env: { A: '1' } }
    await all(runtime.execute(params))
    const { sessionId: _, ...spawned } = seen.spawns[0] ?? { sessionId: '' }
    expect(spawned).toEqual({
      model: 'm',
      allowedTools: ['Read'],
      systemPrompt: 'Be brief.',
      resumeId: 's',
      workDir: '/w',
      env: { A: '1' },
    })
    expect(seen.prompts).toEqual(['go'])
  })

  it('[EXEC-1.5] gives its program the MCP servers in a private file, which is gone after the run', async () => {
    const scratchDir = mkdtempSync(path.join(tmpdir(), 'runtime-'))
    const mcpServers = { sums: { command: 'node', args: ['sums.mjs'] } }
    const found: unknown[] = []
    const { runtime, seen } = playing([over()], { scratchDir }, async () => {
      const file = seen.spawns[0]?.mcpConfigPath ?? ''
      found.push(JSON.parse(readFileSync(file, 'utf8')), statSync(file).mode & 0o777)
    })
    await all(runtime.execute({ prompt: 'go', mcpServers }))
    expect(found).toEqual([{ mcpServers }, 0o600])
    expect(readdirSync(scratchDir)).toEqual([])
    rmSync(scratchDir, { recursive: true })
  })

  it.each([
    [{ prompt: ' \n ' }, 'INVALID_ARGUMENT'],
    [{ prompt: 'é'.repeat(600_000) }, 'PROMPT_TOO_LARGE'],
    [{ prompt: 7 }, 'INVALID_ARGUMENT'],
    [{ mcpServers: { a: { port: 1 } } }, 'INVALID_ARGUMENT'],
    [{ env: { ROUNDHOUSE_SESSION: 'mine' } }, 'INVALID_ARGUMENT'],
    [{ prompt: '/forbidden' }, 'POLICY_DENIED'],
  ])('[EXEC-1.6] that cannot begin is an error and done, and starts nothing (%#)', async (params, code) => {
    const { runtime, seen } = playing([over()])
    const events = await all(runtime.execute({ prompt: 'go', ...params } as AgentExecuteParams))
    expect(events).toMatchObject([
      { type: 'error', code, message: expect.stringMatching(/./) },
      { type: 'done', result: { text: '', aborted: false, errorSubtype: code } },
    ])
    expect(seen.spawns).toEqual([])
  })

  it('[EXEC-1.6] of a program that does not start has its code', async () => {
    const { runtime } = playing([], {}, () => Promise.reject(new CodedError('BACKEND_AUTH')))
    expect(await all(runtime.execute({ prompt: 'go' }))).toMatchObject([
      { type: 'error', code: 'BACKEND_AUTH' },
      { type: 'done', result: { errorSubtype: 'BACKEND_AUTH' } },
    ])
  })

  it('[EXEC-1.7] that nobody reads makes its program wait', async () => {
    const lines = Array.from({ length: 1_500 }, (_, n) => text(`${n}`))
    const { runtime, seen } = playing([session, ...lines, over()])
    expect(await all(runtime.execute({ prompt: 'go' }))).toHaveLength(1_501)
    expect(seen.paused).toEqual([true, false])
  })
})

describe('[EXEC-2] an abort', () => {
  it('[EXEC-2.1] in the turn is done with aborted, and the program is gone', async () => {
    const { runtime, seen } = playing([session, text('One.'), call])
    const stop = new AbortController()
    const events: AgentEvent[] = []
    for await (const event of runtime.execute({ prompt: 'go', abortSignal: stop.signal })) {
      events.push(event)
      if (event.type === 'tool_use') stop.abort()
    }
    expect(events.slice(2)).toMatchObject([
      { type: 'tool_result', toolId: 'c', isError: true },
      { type: 'done', result: { text: 'One.', sessionId: 'b-1', aborted: true, errorSubtype: 'interrupted' } },
    ])
    expect(seen.kills).toBe(1)
  })

  it('[EXEC-2.2] before the start starts nothing', async () => {
    const { runtime, seen } = playing([over()])
    const events = await all(runtime.execute({ prompt: 'go', abortSignal: AbortSignal.abort() }))
    expect(events).toMatchObject([{ type: 'done', result: { aborted: true } }])
    expect(seen.spawns).toEqual([])
  })

  it('[EXEC-2.3] during the start ends the program as soon as it is there, without a prompt', async () => {
    const stop = new AbortController()
    const { runtime, seen } = playing([over()], {}, async () => stop.abort())
    const events = await all(runtime.execute({ prompt: 'go', abortSignal: stop.signal }))
    expect(events).toMatchObject([{ type: 'done', result: { aborted: true } }])
    expect([seen.prompts, seen.kills]).toEqual([[], 1])
  })
})

describe('[EXEC-3] a request for permission', () => {
  it('[EXEC-3.1] is denied where nobody is here, and told once, with the reason', async () => {
    const { runtime, relay, seen } = playing([session, call, asks])
    const events = all(runtime.execute({ prompt: 'go' }))
    while (seen.decisions.length === 0) await new Promise((resolve) => setImmediate(resolve))
    relay.report(over({ denials: [{ toolName: 'Bash', callId: 'c' }] }))
    const reason = 'Nobody is here to allow it.'
    expect(seen.decisions).toEqual([{ callId: 'c', decision: 'deny', reason }])
    expect(resultOf(await events)?.permissionDenials).toEqual([{ tool: 'Bash', reason }])
  })

  it('[EXEC-3.2] is answered by whoever the runtime names; one who fails is a denial', async () => {
    for (const [ask, decision] of [
      [async () => ({ decision: 'allow' as const }), 'allow'],
      [() => Promise.reject(new Error('gone')), 'deny'],
    ] as const) {
      const { runtime, relay, seen } = playing([session, asks], { ask })
      const events = all(runtime.execute({ prompt: 'go' }))
      while (seen.decisions.length === 0) await new Promise((resolve) => setImmediate(resolve))
      relay.report(over())
      expect(resultOf(await events)?.permissionDenials?.length ?? 0).toBe(decision === 'deny' ? 1 : 0)
      expect(seen.decisions).toMatchObject([{ decision }])
    }
  })

  it('[EXEC-3.3] that the program takes back is no longer asked about', async () => {
    let signal: AbortSignal | undefined
    const ask: RuntimeOptions['ask'] = (_request, withdrawn) => {
      signal = withdrawn
      return new Promise(() => {})
    }
    const { runtime, relay } = playing([session, asks, { type: 'withdrawn', callId: 'c' }], { ask })
    const events = all(runtime.execute({ prompt: 'go' }))
    while (!signal?.aborted) await new Promise((resolve) => setImmediate(resolve))
    relay.report(over())
    expect(resultOf(await events)).not.toHaveProperty('permissionDenials')
  })

  it('[EXEC-3.3] that the end of the run closes is no longer asked about', async () => {
    let signal: AbortSignal | undefined
    const ask: RuntimeOptions['ask'] = (_request, withdrawn) => {
      signal = withdrawn
      return new Promise(() => {})
    }
    await play([session, asks, over()], {}, { ask })
    expect(signal?.aborted).toBe(true)
  })
})

describe('[EXEC-4] what is told while a text is written', () => {
  it('[EXEC-4.1] is its pieces, then the text under the same id; a text that begins anew is taken back', async () => {
    const helper = piece('helper', { parentCallId: 'c' })
    const thought = piece('hm', { kind: 'thinking' })
    const reports = [
      piece('On'),
      piece('', { discarded: true }),
      helper,
      thought,
      piece('One'),
      text('One', 'x'),
      over(),
    ]
    const { runtime } = playing(reports)
    const news = await all(runtime.follow({ prompt: 'go' }))
    expect(news.slice(0, -1)).toEqual([
      { kind: 'piece', blockId: 'x', text: 'On' },
      { kind: 'taken_back', blockId: 'x' },
      { kind: 'piece', blockId: 'x', text: 'One' },
      { kind: 'event', event: { type: 'text', text: 'One' }, blockId: 'x' },
    ])
  })
})
