// Each field of the convention's schemas, with a value of its examples and one that is of another type.
import { describe, expect, it } from 'vitest'
import { checkContent } from './check-message'
import { type conventionSchemas, type EventKind, eventDetails, eventKinds } from './schemas'

type Name = keyof typeof conventionSchemas
/** `[field, a value of the example, a value that is refused]`. */
type Field = readonly [name: string, good: unknown, bad: unknown]
const optional = (...fields: Field[]): Field[] => fields

const peer: Field = ['peerId', 'p7', 7]
const role: Field = ['role', 'worker', null]
const amount = (name: string, good: number): Field => [name, good, -1]
const answers: Field = ['correlation_id', 'req-abc', 'r1] x: {']
const reason: Field = ['reason', 'enough', '']
const completed: Field = ['phases_completed', ['PLAN', 'SPAWN', 'DEPLOY'], ['LUNCH']]
const artifacts = [{ path: '/tmp/audit.md', type: 'markdown', size_bytes: 4200 }]

/** The required ones of the convention's table, then those of its examples that may be absent. */
const fields: Readonly<Record<Name, { required: readonly Field[]; optional?: readonly Field[] }>> = {
  'worker-boot-v1': {
    required: [
      ['model', 'claude-sonnet-4-6', null],
      role,
      ['mission_summary', 'Audit src/server.ts for security issues', ['Audit']],
      ['cwd', '/Users/ana/Desktop/Claws', 1],
      ['terminal_id', '5', 5],
    ],
    optional: optional(
      ['parent_peer_id', 'p_000001', 1],
      ['capabilities', ['mcp_claws', 'sub_workers'], 'sub_workers'],
    ),
  },
  'worker-phase-v1': {
    required: [
      ['phase', 'DEPLOY', 'deploy'],
      ['prev', 'SPAWN', 'BREAKFAST'],
      ['transition_reason', 'all-workers-spawned', 7],
      completed,
    ],
    optional: optional(['metadata', { note: 'three of them' }, 'three']),
  },
  'worker-event-v1': {
    required: [
      ['kind', 'DECISION', 'decision'],
      ['severity', 'warn', 'loud'],
      ['message', 'chose option B', ''],
    ],
    optional: optional(['request_id', 'req-xyz', 'req xyz']),
  },
  'worker-heartbeat-v1': {
    required: [
      ['current_phase', 'OBSERVE', 'LUNCH'],
      amount('time_in_phase_ms', 47_000),
      amount('tokens_used', 5_421),
      ['cost_usd', 0.78, 1e308],
    ],
    optional: optional(['last_event_id', 'm-9', 9], ['active_sub_workers', ['p_000004'], 'p_000004']),
  },
  'worker-complete-v1': {
    required: [
      ['result', 'ok', ''],
      ['summary', 'audited 7 files', null],
      ['artifacts', artifacts, [{ type: 'markdown' }]],
      completed,
    ],
    optional: optional(amount('total_tokens', 18_420), amount('total_cost_usd', 2.41), amount('duration_ms', 412_000)),
  },
  'cmd-approve-v1': { required: [answers] },
  'cmd-reject-v1': { required: [answers, reason] },
  'cmd-abort-v1': { required: [reason] },
  'cmd-pause-v1': { required: [] },
  'cmd-resume-v1': { required: [] },
  'cmd-set-phase-v1': { required: [['phase', 'RECOVER', 'LUNCH'], reason] },
  'cmd-spawn-v1': {
    required: [
      ['name', 'worker-B', ''],
      ['mission', 'help', ''],
    ],
    optional: optional(['model', 'claude-sonnet-4-6', 4.6]),
  },
  'cmd-inject-text-v1': { required: [['text', 'go on', '']], optional: optional(['paste', true, 'yes']) },
  'system-peer-joined-v1': {
    required: [peer, role, ['peerName', 'audit-A', 1], ['ts', '2026-04-27T12:00:00.123Z', 1]],
  },
  'system-peer-left-v1': { required: [peer, role, ['reason', 'crash', 'lost']] },
  'system-peer-stale-v1': {
    required: [peer, ['last_seen', '2026-04-27T12:00:00.123Z', 1], amount('missed_heartbeats', 3)],
  },
  'system-gate-fired-v1': { required: [['tool', 'phase', 1], ['reason', 'no such move', 1], peer] },
  'system-budget-warning-v1': { required: [amount('current_usd', 12), amount('threshold_usd', 10)] },
  'system-malformed-received-v1': {
    required: [
      ['from', 'p7', 7],
      ['topic', 'worker.p7.phase', 7],
      ['error', 'phase: missing', 7],
    ],
  },
}
const names = Object.keys(fields) as Name[]
const topicOf = (schema: string) => {
  const [space, ...words] = schema.slice(0, -'-v1'.length).split('-')
  return space === 'system' ? `system.${words.join('.')}` : `${space}.p7.${words.join('_')}`
}

describe('[BUS-3.1] the fields of the convention', () => {
  it.each(names)(
    '%s takes each field of the example, is refused without a required one, and with another type of any',
    (schema) => {
      const { required, optional: others = [] } = fields[schema]
      const all = [...required, ...others]
      const data = Object.fromEntries(all.map(([name, good]) => [name, good]))
      const check = (given: Record<string, unknown>) => checkContent({ topic: topicOf(schema), schema, data: given })
      const without = (left: string) => Object.fromEntries(Object.entries(data).filter(([name]) => name !== left))
      expect(check(data)).toBeNull()
      for (const [name] of required) expect(check(without(name)), name).toMatchObject({ path: `data.${name}` })
      for (const [name] of others) expect(check(without(name)), name).toBeNull()
      for (const [name, , bad] of all)
        expect(check({ ...data, [name]: bad })?.path.startsWith(`data.${name}`), name).toBe(true)
    },
  )

  it.each(['info', 'warn', 'error', 'fatal'])('an event may be of severity %s', (severity) => {
    const data = { kind: 'LOG', severity, message: 'x' }
    expect(checkContent({ topic: 'worker.p7.event', schema: 'worker-event-v1', data })).toBeNull()
  })

  it.each(['clean', 'crash', 'timeout'])('a peer may leave by %s', (why) => {
    const data = { peerId: 'p7', role: 'worker', reason: why }
    expect(checkContent({ topic: 'system.peer.left', schema: 'system-peer-left-v1', data })).toBeNull()
  })
})

/** Of the convention's examples: what stands beside the kind, and what is of the kind. */
const examples: Readonly<Record<EventKind, { beside: Record<string, unknown>; details: Record<string, unknown> }>> = {
  BLOCKED: {
    beside: { severity: 'warn', message: 'needs approval to spawn 3 sub-workers', request_id: 'req-abc' },
    details: { blocking_resource: 'approval', retryable: true },
  },
  REQUEST: {
    beside: { severity: 'info', message: 'choose: full rewrite vs. patch?', request_id: 'req-xyz' },
    details: { request_type: 'decision', options: [{ id: 'A', label: 'full rewrite' }] },
  },
  HARVEST: { beside: { severity: 'info', message: 'audit findings ready' }, details: { artifacts } },
  ERROR: {
    beside: { severity: 'fatal', message: 'ran out of token budget' },
    details: { error_class: 'UsageLimitExceeded', retryable: false, suggested_action: 'respawn with smaller model' },
  },
  DECISION: {
    beside: { severity: 'info', message: 'chose option B' },
    details: { decision_id: 'dec-1', option_chosen: 'B', reasoning: '...' },
  },
  PROGRESS: {
    beside: { severity: 'info', message: '3 of 7 files reviewed' },
    details: { percent: 0.43, current_step: 3, total_steps: 7, eta_ms: 120_000 },
  },
  LOG: { beside: { severity: 'info', message: 'hello' }, details: {} },
}

describe('[BUS-3.1] the kinds of the convention', () => {
  it('are seven', () => {
    expect(eventKinds).toEqual(Object.keys(examples))
  })

  it.each(eventKinds)('%s takes its example, and its own fields are read beside it and in `data`', (kind) => {
    const { beside, details } = examples[kind]
    for (const data of [
      { kind, ...beside, data: details },
      { kind, ...beside, ...details },
    ]) {
      expect(checkContent({ topic: 'worker.p7.event', schema: 'worker-event-v1', data })).toBeNull()
      expect(eventDetails(data)).toEqual({ kind, ...beside, ...details })
    }
  })
})
