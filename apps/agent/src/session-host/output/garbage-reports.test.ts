/**
 * Recorded dialogues of each backend with values that nobody expects put into their frames: whatever its adapter makes of them,
 * each of our own events can be written, and each account can be read (LOG-7, PERM-6, RES-1).
 */
import { readdirSync, readFileSync } from 'node:fs'
import {
  type BackendAdapter,
  type BackendProcess,
  HostState,
  type OpenBlock,
  type PermissionAsk,
  type PermissionRequest,
  type ReportedTask,
  type RunningTask,
  type SessionEvent,
  type TokenBudgetWarning,
  type TurnCompleteInfo,
} from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { profiles } from '../../../../../packages/adapter-acp/src/profiles'
import { Translator as AcpTranslator } from '../../../../../packages/adapter-acp/src/translate/translate'
import { Translator as ClaudeTranslator } from '../../../../../packages/adapter-claude/src/translate/translate'
import { Translator as CodexTranslator } from '../../../../../packages/adapter-codex/src/translate/translate'
import {
  readFrame,
  toLive,
  toOutput,
  toRequest,
  toTurnEnd,
} from '../../../../../packages/adapter-scripted/src/script/translate'
import { fittingAccount } from '../../host-contract/readable-account'
import { serializeEvent } from '../../log/serialize'
import { createRedactor } from '../../redact/redactor'
import { makeAsk } from '../permissions/ask'
import { requestedEvent } from '../permissions/permission-events'
import { fitRequest } from '../program/fit-reports'
import { ProgramIds } from '../program/program-ids'
import { OutputPump, type PumpPorts } from './output-pump'
import { OutputRecorder, type RecorderPorts } from './output-recorder'

type Json = Record<string, unknown>
/** What a translator tells, as far as it says something of the session. */
type Told = { type: string } & Json

const redact = createRedactor([])
const around = {
  key: Buffer.alloc(32),
  redact,
  roots: ['/nowhere'],
  workDir: '/nowhere',
  folders: ['/nowhere'],
  rules: {},
  mayMode: () => true,
}

/** A session's pump whose log is the serialiser alone. */
class Heard {
  readonly events: SessionEvent[] = []
  readonly asks: PermissionAsk[] = []
  readonly blocks: OpenBlock[] = []
  tasks: RunningTask[] = []
  private readonly handlers = new Map<string, (value: unknown) => void>()

  constructor() {
    const register = (type: string) => (_process: BackendProcess, handler: (value: never) => void) =>
      void this.handlers.set(type, handler as (value: unknown) => void)
    const adapter = {
      onOutput: register('output'),
      onLive: register('live'),
      onPermissionRequest: register('ask'),
      onPermissionWithdrawn: register('withdrawn'),
      onTurnStarted: register('turn_started'),
      onTurnComplete: register('turn_completed'),
      onTokenBudgetWarning: register('budget'),
      onBackground: register('background'),
      onSessionStarted: register('session'),
    } as unknown as BackendAdapter
    const recorder = new OutputRecorder({
      journal: { record: (events: readonly SessionEvent[]) => this.record(events), log: { lastSeq: 0 } },
      conversation: { goOnWith: () => ({ meta: {} }) },
      live: {
        add: (header: Omit<OpenBlock, 'length'>) => void this.blocks.push({ ...header, length: 0 }),
        finish: () => () => {},
        discard: () => {},
      },
      outputs: { heard: () => false, printed: () => ({}) },
      ring: { add: () => {} },
      redact,
      turnId: () => 't1',
    } satisfies Record<keyof RecorderPorts, unknown> as unknown as RecorderPorts)
    const ports = {
      recorder,
      ids: new ProgramIds(),
      runner: { isCurrent: () => true },
      turns: {
        begun: () => {},
        completed: ({ backendSessionId: _, backendMeta: __, reason = 'completed', ...info }: TurnCompleteInfo) => {
          void this.record([{ kind: 'turn_completed', turnId: 't1', reason, ...info }])
        },
      },
      asks: {
        ask: (procId: string, request: PermissionRequest) => {
          const ids = { requestId: `r${this.asks.length}`, procId, turnId: 't1' }
          const { ask } = makeAsk(fitRequest(request), ids, { askedAt: 1 }, around)
          void this.record([requestedEvent(ask)])
          this.asks.push(ask)
        },
        withdraw: () => {},
      },
      settings: {
        mode: () => {},
        changed: () => {},
        commands: () => {},
        budget: (_running: unknown, warning: TokenBudgetWarning) =>
          void this.record([{ kind: 'token_budget_warning', ...warning }]),
      },
      background: {
        told: (running: readonly ReportedTask[]) => {
          this.tasks = running.map(({ outputFile: _, ...task }) => ({ ...task, startedAt: 1 }))
        },
      },
      ends: { crashed: () => {}, hears: () => false },
      activity: () => {},
    } satisfies PumpPorts
    new OutputPump(ports).attach({
      procId: 'p1',
      adapter,
      process: {} as BackendProcess,
      resumed: false,
      gone: new AbortController(),
      applied: {} as never,
    })
  }

  tell(told: readonly Told[]): void {
    for (const { type, ...effect } of told) {
      const value = effect.output ?? effect.delta ?? effect.request ?? effect.callId ?? effect.info ?? effect.warning
      this.handlers.get(type)?.(value ?? effect.running)
    }
  }

  private record(events: readonly SessionEvent[]): Promise<number> {
    for (const event of events) this.events.push(serializeEvent(event, redact, () => null).event)
    return Promise.resolve(0)
  }

  /** What the pump could not write, in its own words. */
  get unreadable(): unknown[] {
    return this.events.flatMap((event) =>
      event.kind === 'system' && event.subtype === 'unreadable_output' ? [event.data] : [],
    )
  }

  get account(): HostState {
    const { asks: requests, blocks: openBlocks, tasks: background } = this
    const counters = { sessionId: 's1', leaseToken: 1, rev: 1, atSeq: 0 }
    const status = { status: 'needs_you' } as const
    return fittingAccount({ ...counters, status, queue: [], queueHeld: false, requests, openBlocks, background })
  }
}

const long = 'r'.repeat(300_000)
const garbage: readonly unknown[] = [
  -5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e300,
  0.5,
  long,
  'x'.repeat(300),
  '',
  'a\ud800b\0',
  '__proto__',
  null,
  true,
  [],
  {},
  Array.from({ length: 1_000 }, (_, n) => ({
    step: `s${n}`,
    status: 'pending',
    text: long.slice(0, 400),
    content: `c${n}`,
  })),
]

/** One leaf of a frame is another value: each of them in turn, over all dialogues. */
function* spoiled(frame: Json, seed: number): Generator<Json> {
  const leaves = leavesOf(frame)
  for (const [index, path] of leaves.entries()) yield withValue(frame, path, garbage[(seed + index) % garbage.length])
}

function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]))
}

/** What tells frames apart stays. */
const kept = new Set(['type', 'subtype', 'method', 'jsonrpc', 'sessionUpdate'])

function withValue(frame: Json, [key = '', ...rest]: readonly string[], value: unknown): Json {
  if (rest.length === 0) return kept.has(key) ? frame : { ...frame, [key]: value }
  const member = frame[key] as Json
  const changed = withValue(member, rest, value)
  return { ...frame, [key]: Array.isArray(member) ? Object.assign([], changed) : changed }
}

interface Line {
  dir: string
  frame: Json
}

function tracesOf(adapter: string, below = '.'): [string, Line[]][] {
  const folder = new URL(`../../../../../packages/${adapter}/fixtures/traces/${below}/`, import.meta.url)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => {
      const lines = readFileSync(new URL(name, folder), 'utf8').split('\n').filter(Boolean)
      return [name, lines.map((line) => JSON.parse(line) as Line)]
    })
}

function expectAllWritten(heard: Heard): void {
  expect(heard.unreadable).toEqual([])
  expect(HostState.safeParse(heard.account).error).toBeUndefined()
}

describe('what Claude Code says', () => {
  it.each(tracesOf('adapter-claude'))('[BAD-1] %s: every event that it becomes can be written', (_name, lines) => {
    const heard = new Heard()
    lines.forEach(({ dir, frame }, seed) => {
      if (dir !== 'out') return
      for (const one of spoiled(frame, seed)) {
        const options = { workDir: '/nowhere', blockPrefix: 'b', maxOutputTokens: undefined, costBaseline: 0 }
        const translator = new ClaudeTranslator({ backendSessionId: 'b1', ...options })
        translator.sent()
        heard.tell(translator.accept(one) as unknown as Told[])
      }
    })
    expectAllWritten(heard)
  })
})

describe('what Codex says', () => {
  it.each(tracesOf('adapter-codex'))('[BAD-1] %s: every event that it becomes can be written', (_name, lines) => {
    const heard = new Heard()
    const threadId = lines.flatMap(({ frame }) => ((frame.params as Json)?.threadId as string) ?? [])[0] ?? 'thread'
    lines.forEach(({ dir, frame }, seed) => {
      if (dir !== 'out' || typeof frame.method !== 'string') return
      const translator = new CodexTranslator(threadId)
      translator.turn.request()
      for (const one of spoiled((frame.params ?? {}) as Json, seed)) {
        const told =
          frame.id === undefined
            ? translator.notification(frame.method, one)
            : translator.request(`q${seed}`, frame.method, one)
        heard.tell(told as unknown as Told[])
      }
    })
    expectAllWritten(heard)
  })
})

describe('what the scripted player says', () => {
  const frames: Json[] = [
    { type: 'say', block: 'b', text: 'x', under: 'c' },
    { type: 'piece', block: 'b', of: 'say', text: 'x', under: 'c' },
    { type: 'call', call: 'c', tool: 'Write', input: { a: 1 } },
    { type: 'result', call: 'c', output: 'x' },
    { type: 'result', call: 'c', output: 'x', stopped: true },
    { type: 'progress', call: 'c', text: 'x' },
    { type: 'todo', items: [{ text: 'x', status: 'pending' }] },
    { type: 'note', subtype: 's', data: {} },
  ]
  const end = {
    type: 'end',
    outcome: 'failed',
    error: { code: 'c', message: 'm', resetsAt: 5 },
    usd: 1,
    ms: 1,
    modelMs: 1,
    modelCalls: 1,
    stop: 'end_turn',
    denied: [{ toolName: 'Write', callId: 'c', reason: 'r' }],
    tokens: { input: 1, output: 1, cached: 1, written: 1 },
    used: 1,
    window: 1,
  }
  const ask = { type: 'ask', call: 'c', tool: 'Write', input: { file_path: 'a' }, reason: 'r', cwd: '/nowhere' }

  it('[BAD-1.4] every event that it becomes can be written', () => {
    const heard = new Heard()
    const tell = (type: string, key: string, value: unknown) => value && heard.tell([{ type, [key]: value }])
    for (let seed = 0; seed < garbage.length; seed++) {
      for (const frame of frames.flatMap((one) => [...spoiled(one, seed)])) {
        const read = readFrame(JSON.stringify(frame))
        if (!read) continue
        tell('output', 'output', toOutput(read))
        tell('live', 'delta', toLive(read))
      }
      for (const one of spoiled(ask, seed)) tell('ask', 'request', toRequest(one as never))
      for (const one of spoiled(end, seed)) tell('turn_completed', 'info', toTurnEnd(one as never, 'b1'))
    }
    expectAllWritten(heard)
    const count = (kind: string) => heard.events.filter((event) => event.kind === kind).length
    expect(count('turn_completed')).toBe(garbage.length * leavesOf(end).length)
    expect(count('permission_requested')).toBe(garbage.length * leavesOf(ask).length)
  })

  it('[PERM-6] of 1,000 questions at once an account has the oldest, and is one that can be read', () => {
    const heard = new Heard()
    for (let n = 0; n < 1_000; n++)
      heard.tell([{ type: 'ask', request: toRequest({ ...ask, type: 'ask', call: `c${n}`, input: { n } } as never) }])
    expect(heard.account.requests).toEqual(heard.asks.slice(0, 200))
    expectAllWritten(heard)
  })
})

describe.each(['opencode', 'gemini', 'generic'] as const)('what %s says', (profile) => {
  const folder = profile === 'generic' ? 'opencode' : profile
  it.each(tracesOf('adapter-acp', folder))('[BAD-1] %s: every event that it becomes can be written', (_name, lines) => {
    const heard = new Heard()
    const sessionId = lines.flatMap(({ frame }) => ((frame.params as Json)?.sessionId as string) ?? [])[0] ?? 'session'
    lines.forEach(({ dir, frame }, seed) => {
      if (dir !== 'out') return
      const { nameCall } = profiles[profile]
      const place = { backend: profile, sessionId, blockPrefix: 'b', isNew: true, workDir: '/nowhere', nameCall }
      const translator = new AcpTranslator(place)
      for (const one of spoiled(frame, seed)) {
        translator.turn.begin()
        const params = (one.params ?? {}) as Json
        const told =
          frame.method === 'session/update'
            ? translator.update(params)
            : frame.method === 'session/request_permission'
              ? translator.ask(`q${seed}`, params)
              : translator.turnEnded({ ok: true, result: one.result })
        heard.tell(told as unknown as Told[])
      }
    })
    expectAllWritten(heard)
  })
})
