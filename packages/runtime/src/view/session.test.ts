// One init, one terminal event, then closed: whatever an adapter does.
import { type DrivenProcess, defineAdapter, Relay, type Report } from '@roundhouse/adapter-kit'
import type { Capabilities, PermissionDecision } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Event } from '../contract/event'
import type { Spec } from '../contract/spec'
import { createProvider, type ProviderOptions } from './create-provider'

const spec: Spec = { prompt: 'go', cwd: '/w', env: {}, autonomous: false, sandboxEnabled: false }
const session: Report = { type: 'session', info: { backendSessionId: 'b-1' } }
const text = (value: string): Report => ({ type: 'output', output: { kind: 'assistant_text', text: value } })
const over: Report = { type: 'turn_completed', info: { backendSessionId: 'b-1', cost: 0.5 } }
const exit: Report = { type: 'exit', code: 3, info: { signal: null, stderrTail: 'out of luck' } }
const done = { kind: 'result', success: true, cost: { totalCostUsd: 0.5, numTurns: 1 } }

/** A provider whose program reports these when its first prompt arrives. */
async function playing(
  reports: Report[],
  more: Partial<DrivenProcess> = {},
  options: Partial<ProviderOptions> = {},
  able: Partial<Capabilities> = {},
) {
  const relay = new Relay()
  let clock = 0
  const seen = { prompts: [] as string[], kills: 0, decisions: [] as PermissionDecision[], paused: [] as boolean[] }
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
    ...more,
  }
  const capabilities = { supportsMessageInjection: true, supportsPermissions: true, ...able } as Capabilities
  const adapter = defineAdapter({
    type: 'fourth',
    capabilities,
    getManifest: async () => ({
      kind: 'x',
      label: 'X',
      installed: true,
      models: [],
      modes: [],
      sandboxes: [],
      capabilities,
    }),
    start: async () => process,
  })
  const provider = await createProvider(adapter, { scratchDir: '/nowhere', nowMs: () => (clock += 1_500), ...options })
  return { provider, relay, seen }
}

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const found: Event[] = []
  for await (const event of events) found.push(event)
  return found
}

/** The events of a session that plays these reports, and then these others once it has begun. */
async function eventsOf(reports: Report[], later: Report[] = []): Promise<Event[]> {
  const { provider, relay } = await playing(reports)
  const handle = await provider.spawn(spec)
  for (const report of later) relay.report(report)
  return all(handle.events())
}

const kinds = (events: Event[]) => events.map(({ kind }) => kind)

describe('the events of a session', () => {
  it('are one init, what the program says, one result, and nothing after it', async () => {
    expect(await eventsOf([session, text('one'), over])).toEqual([
      { kind: 'init', sessionId: 'b-1' },
      { kind: 'assistant_text', text: 'one' },
      { ...done, message: 'one' },
    ])
  })

  it('begin with the init even if the adapter speaks before it', async () => {
    expect(kinds(await eventsOf([text('early'), session, over]))).toEqual(['init', 'assistant_text', 'result'])
  })

  it('have one init where a program goes on under another id', async () => {
    const events = await eventsOf([session, { type: 'session', info: { backendSessionId: 'b-2' } }, over])
    expect(events.slice(0, 2)).toEqual([
      { kind: 'init', sessionId: 'b-1' },
      { kind: 'system', subtype: 'session_changed', raw: { sessionId: 'b-2' } },
    ])
  })

  it('have one terminal where the adapter ends the turn twice, speaks on, or exits behind it', async () => {
    expect(kinds(await eventsOf([session, over], [over, text('late'), exit]))).toEqual(['init', 'result'])
  })

  it('end with an error where the program crashes in its turn', async () => {
    expect((await eventsOf([session, text('one')], [exit, over])).slice(2)).toEqual([
      {
        kind: 'error',
        code: 'BACKEND_CRASHED',
        message: 'The program ended with exit code 3.',
        raw: { code: 3, signal: null, stderrTail: 'out of luck' },
      },
    ])
  })

  it('take the session from the end of the turn where the adapter reports none', async () => {
    expect(kinds(await eventsOf([text('one'), over]))).toEqual(['init', 'assistant_text', 'result'])
  })

  it.each([
    ['interrupted', { reason: 'interrupted' }, { errorSubtype: 'interrupted' }],
    ['out of turns', { reason: 'max_turns' }, { errorSubtype: 'error_max_turns' }],
    [
      'failed',
      { reason: 'failed', error: { code: 'BACKEND_QUOTA', message: 'No more.' } },
      { errorSubtype: 'BACKEND_QUOTA', errors: ['No more.'] },
    ],
  ] as const)('say that a turn was %s', async (_how, info, expected) => {
    const events = await eventsOf([session, { type: 'turn_completed', info: { ...info } }])
    expect(events.at(-1)).toMatchObject({ kind: 'result', success: false, ...expected })
  })

  it('tell of an error that the adapter reports, and go on', async () => {
    const events = await eventsOf([session, { type: 'error', error: new Error('out of luck') }, over])
    expect(events[1]).toMatchObject({ kind: 'system', subtype: 'error', raw: { code: 'INTERNAL' } })
    expect(kinds(events)).toEqual(['init', 'system', 'result'])
  })

  it('keep in raw what the backend says of its turn', async () => {
    const events = await eventsOf([session, { type: 'turn_completed', info: { backendMeta: { num_turns: 3 } } }])
    expect(events.at(-1)).toMatchObject({ kind: 'result', success: true, raw: { num_turns: 3 } })
  })

  it('say which tool was called, for how long it runs, and what it gave', async () => {
    const outputs: Report[] = [
      {
        type: 'output',
        output: { kind: 'tool_use', toolName: 'Sum', input: { a: 1 }, callId: 'c', parentCallId: 'p' },
      },
      { type: 'output', output: { kind: 'tool_progress', callId: 'c', text: 'half' } },
      { type: 'output', output: { kind: 'tool_result', callId: 'c', output: { sum: 2 } } },
      { type: 'output', output: { kind: 'thinking', text: 'Hm.' } },
      { type: 'output', output: { kind: 'raw', backend: 'x', payload: 1 } },
    ]
    expect((await eventsOf([session, ...outputs, over])).slice(1, -1)).toEqual([
      { kind: 'tool_use', toolName: 'Sum', toolUseId: 'c', input: { a: 1 }, raw: { parentCallId: 'p' } },
      { kind: 'tool_progress', toolName: 'Sum', elapsedSeconds: 1.5, raw: { callId: 'c', text: 'half' } },
      { kind: 'tool_result', toolName: 'Sum', toolUseId: 'c', content: '{"sum":2}', isError: false },
      { kind: 'system', subtype: 'thinking', message: 'Hm.' },
    ])
  })

  it('are shared by all readers, and one that leaves takes none of them', async () => {
    const { provider } = await playing([session, over])
    const handle = await provider.spawn(spec)
    for await (const event of handle.events()) {
      expect(event.kind).toBe('init')
      break
    }
    expect(kinds(await all(handle.events()))).toEqual(['result'])
  })

  it('make the program wait where nobody reads them', async () => {
    const { provider, seen } = await playing([session, ...Array.from({ length: 1_001 }, (_, n) => text(`${n}`))])
    const handle = await provider.spawn(spec)
    expect(seen.paused).toEqual([true])
    await handle.stop()
    expect(await all(handle.events())).toHaveLength(1_003)
    expect(seen.paused).toEqual([true, false])
  })
})

describe('a session that does not start', () => {
  it.each([
    ['exits before its init', [text('early'), exit], 'The program ended with exit code 3.'],
    [
      'ends its turn without one',
      [{ type: 'turn_completed', info: {} } as Report],
      'The turn ended without a session.',
    ],
  ])('is SPAWN_FAILED where the program %s', async (_what, reports, message) => {
    const { provider, seen } = await playing(reports)
    await expect(provider.spawn(spec)).rejects.toMatchObject({ code: 'SPAWN_FAILED', message })
    expect(seen.kills).toBe(1)
  })

  it('is ended where its signal says so before its init', async () => {
    const { provider, seen } = await playing([])
    const controller = new AbortController()
    const spawned = provider.spawn(spec, controller.signal)
    setImmediate(() => controller.abort())
    await expect(spawned).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
    expect(seen.kills).toBe(1)
  })
})

describe('stop', () => {
  it('ends the session with one result, and may be repeated, also after the end', async () => {
    const { provider, seen } = await playing([session])
    const handle = await provider.spawn(spec)
    await Promise.all([handle.stop(), handle.stop()])
    await handle.stop()
    expect(await all(handle.events())).toEqual([
      { kind: 'init', sessionId: 'b-1' },
      { kind: 'result', success: false, errors: ['The session was stopped.'], errorSubtype: 'stopped', cost: {} },
    ])
    expect(seen.kills).toBe(1)
  })

  it('waits no longer than its signal', async () => {
    const { provider } = await playing([session], { kill: () => new Promise(() => {}) })
    const handle = await provider.spawn(spec)
    await expect(handle.stop(AbortSignal.abort(new Error('too long')))).rejects.toThrow('too long')
  })

  it('is what the signal of spawn and a shutdown do', async () => {
    for (const by of ['signal', 'shutdown'] as const) {
      const { provider } = await playing([session])
      const controller = new AbortController()
      const handle = await provider.spawn(spec, controller.signal)
      if (by === 'signal') controller.abort()
      else await provider.shutdown()
      expect((await all(handle.events())).at(-1)).toMatchObject({ errorSubtype: 'stopped' })
    }
  })
})

describe('inject', () => {
  it('gives the message into the running turn, while somebody reads the events', async () => {
    const steered: string[] = []
    const steer = async (input: string) => steered.push(input) > 0
    const { provider, relay, seen } = await playing([session], { steer })
    const handle = await provider.spawn(spec)
    const read = all(handle.events())
    await handle.inject('more')
    relay.report(over)
    expect(kinds(await read)).toEqual(['init', 'result'])
    expect({ steered, prompts: seen.prompts }).toEqual({ steered: ['more'], prompts: ['go'] })
  })

  it('makes the message the next turn where the running one does not take it; the result counts both', async () => {
    const { provider, relay, seen } = await playing([session])
    const handle = await provider.spawn(spec)
    await handle.inject('more')
    relay.report(over)
    expect(seen.prompts).toEqual(['go', 'more'])
    relay.report(over)
    expect((await all(handle.events())).slice(1)).toEqual([{ ...done, cost: { totalCostUsd: 1, numTurns: 2 } }])
  })

  it('ends with the tokens, the cost and the number of all its turns', async () => {
    const usage = { inputTokens: 10, outputTokens: 3, cachedTokens: 4 }
    const turn: Report = { type: 'turn_completed', info: { backendSessionId: 'b-1', cost: 0.25, usage } }
    const { provider, relay } = await playing([session])
    const handle = await provider.spawn(spec)
    await handle.inject('more')
    relay.report(turn)
    relay.report(turn)
    expect((await all(handle.events())).at(-1)).toMatchObject({
      cost: { inputTokens: 20, outputTokens: 6, cachedInputTokens: 8, totalCostUsd: 0.5, numTurns: 2 },
    })
  })

  it('keeps the session open while a message is on its way', async () => {
    let take: (taken: boolean) => void = () => {}
    const steer = () => new Promise<boolean>((resolve) => (take = resolve))
    const { provider, relay, seen } = await playing([session], { steer })
    const handle = await provider.spawn(spec)
    const injected = handle.inject('more')
    relay.report(over)
    take(false)
    await injected
    expect(seen.prompts).toEqual(['go', 'more'])
    await handle.stop()
  })

  it('is SESSION_NOT_FOUND after the end', async () => {
    const { provider } = await playing([session, over])
    const handle = await provider.spawn(spec)
    await expect(handle.inject('more')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('a provider', () => {
  it('refuses to resume and to inject where its capabilities have neither', async () => {
    const { provider } = await playing([session], {}, {}, { supportsMessageInjection: false })
    const lacks = (capability: string) => ({ code: 'UNSUPPORTED', details: { capability } })
    await expect(provider.resume('b-1', spec)).rejects.toMatchObject(lacks('session_resume'))
    const handle = await provider.spawn(spec)
    await expect(handle.inject('more')).rejects.toMatchObject(lacks('message_injection'))
    await handle.stop()
  })
})

describe('what a program asks', () => {
  const ask: Report = { type: 'ask', request: { callId: 'c', toolName: 'Write', input: {} } }
  const permissionConfig = { disallowPatterns: ['Write'] }
  const allow = async () => ({ decision: 'allow' }) as const

  it.each<[string, Partial<Spec>, Partial<ProviderOptions>, string]>([
    ['is denied where nobody is named', {}, {}, 'deny'],
    ['is decided by whoever is named', {}, { ask: allow }, 'allow'],
    ['is denied in an autonomous session', { autonomous: true }, { ask: allow }, 'deny'],
    ['is denied where that person fails', {}, { ask: () => Promise.reject(new Error('x')) }, 'deny'],
    ['is denied by the rules of the session first', { permissionConfig }, { ask: allow, judge: () => 'deny' }, 'deny'],
    ['is allowed by them', { permissionConfig, autonomous: true }, { judge: () => 'allow' }, 'allow'],
    ['goes to the person that they name', { permissionConfig }, { ask: allow, judge: () => 'prompt' }, 'allow'],
  ])('%s', async (_title, over, options, decision) => {
    const { provider, seen } = await playing([session, ask], {}, options)
    const handle = await provider.spawn({ ...spec, ...over })
    await new Promise(setImmediate)
    expect(seen.decisions).toMatchObject([{ callId: 'c', decision }])
    await handle.stop()
    const denials = (await all(handle.events())).filter((event) => event.kind === 'system')
    expect(denials).toHaveLength(decision === 'deny' ? 1 : 0)
  })
})
