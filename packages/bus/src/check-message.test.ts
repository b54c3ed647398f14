import { errorCodes } from '@roundhouse/backend-types'
import { goldenEvents } from '@roundhouse/backend-types/fixtures'
import { describe, expect, it } from 'vitest'
import { checkContent, checkMessage } from './check-message'
import { conventionSchemas, eventDetails, offeredOptions, type SchemaName } from './schemas'

const artifacts = [{ path: '/tmp/audit.md', type: 'markdown', size_bytes: 4200 }]
/** The convention's own examples, with the required fields of its generated table. */
const samples: Readonly<Record<keyof typeof conventionSchemas, Record<string, unknown>>> = {
  'worker-boot-v1': { model: 'sonnet', role: 'worker', mission_summary: 'Audit', cwd: '/code', terminal_id: '5' },
  'worker-phase-v1': {
    phase: 'DEPLOY',
    prev: 'SPAWN',
    transition_reason: 'all-workers-spawned',
    phases_completed: ['PLAN', 'SPAWN'],
  },
  'worker-event-v1': { kind: 'DECISION', severity: 'info', message: 'chose B', data: { option_chosen: 'B' } },
  'worker-heartbeat-v1': { current_phase: 'OBSERVE', time_in_phase_ms: 47_000, tokens_used: 5_421, cost_usd: 0.78 },
  'worker-complete-v1': { result: 'ok', summary: 'audited 7 files', artifacts, phases_completed: ['PLAN'] },
  'cmd-approve-v1': { correlation_id: 'r1', payload: { chosen: 'B' } },
  'cmd-reject-v1': { correlation_id: 'r1', reason: 'no' },
  'cmd-abort-v1': { reason: 'enough' },
  'cmd-pause-v1': {},
  'cmd-resume-v1': {},
  'cmd-set-phase-v1': { phase: 'RECOVER', reason: 'it hangs' },
  'cmd-spawn-v1': { name: 'worker-B', mission: 'help' },
  'cmd-inject-text-v1': { text: 'go on' },
  'system-peer-joined-v1': { peerId: 'p7', role: 'worker', peerName: 'audit-A', ts: '2026-04-27T12:00:00.123Z' },
  'system-peer-left-v1': { peerId: 'p7', role: 'worker', reason: 'clean' },
  'system-peer-stale-v1': { peerId: 'p7', last_seen: '2026-04-27T12:00:00.123Z', missed_heartbeats: 3 },
  'system-gate-fired-v1': { tool: 'phase', reason: 'no such move', peerId: 'p7' },
  'system-budget-warning-v1': { current_usd: 12, threshold_usd: 10 },
  'system-malformed-received-v1': { from: 'p7', topic: 'worker.p7.phase', error: 'phase: missing' },
}
const names = Object.keys(conventionSchemas) as (keyof typeof conventionSchemas)[]
const topicOf = (name: SchemaName) => conventionSchemas[name as (typeof names)[number]].topic.replace('*', 'p7')

describe('[BUS-3] the schemas of the convention', () => {
  it('are nineteen', () => {
    expect(names).toHaveLength(19)
  })

  it.each(names)('%s takes its example, with fields that nobody knows', (schema) => {
    const data = { ...samples[schema], colour: 'red' }
    expect(checkContent({ topic: topicOf(schema), schema, data })).toBeNull()
  })

  it('belong on their own topics', () => {
    for (const schema of names)
      for (const topic of names.map(topicOf).filter((other) => other !== topicOf(schema)))
        expect(checkContent({ topic, schema, data: samples[schema] })).toMatchObject({ path: 'schema' })
  })

  it('of commands are all taken for a role, whatever its name, and no other is', () => {
    const to = (topic: string, schema: keyof typeof samples) =>
      checkContent({ topic, schema, data: samples[schema] }) === null
    const taken = (topic: string) => names.filter((name) => to(topic, name))
    const commands = names.filter((name) => name.startsWith('cmd-'))
    expect(commands).toHaveLength(8)
    expect([taken('cmd.role.worker'), taken('cmd.role.approve')]).toEqual([commands, commands])
  })

  it('of tasks are objects under any name that begins with task', () => {
    expect(checkContent({ topic: 'task.t1.note', schema: 'task-note-v1', data: { a: 1 } })).toBeNull()
    expect(checkContent({ topic: 'worker.p7.note', schema: 'task-note-v1', data: {} })?.code).toBe('MESSAGE_INVALID')
  })

  it('are told apart by version: v2 and strangers are unknown', () => {
    for (const schema of ['worker-phase-v2', 'weather-v1', 'toString'])
      expect(checkContent({ topic: 'worker.p7.phase', schema, data: {} })?.code).toBe('SCHEMA_UNKNOWN')
  })

  it('BLOCKED and REQUEST need the id that their answer names', () => {
    for (const kind of ['BLOCKED', 'REQUEST']) {
      const check = (more: object) => {
        const data = { kind, severity: 'info', message: 'A or B?', ...more }
        return checkContent({ topic: 'worker.p7.event', schema: 'worker-event-v1', data })
      }
      expect(check({})).toMatchObject({ path: 'data.request_id' })
      expect(check({ request_id: 'r1' })).toBeNull()
      expect(check({ request_id: 'r1] x: {' })).toMatchObject({ path: 'data.request_id' })
    }
  })

  it.each(goldenEvents.published)('take the golden event of a session', ({ topic, schema, data }) => {
    expect(checkContent({ topic, schema, data })).toBeNull()
  })
})

describe('a move that either page allows', () => {
  it('`unblock` is an approval', () => {
    const content = { topic: 'cmd.p7.unblock', schema: 'cmd-approve-v1', data: { correlation_id: 'r1' } }
    expect(checkContent(content)).toBeNull()
    expect(checkContent({ ...content, schema: 'cmd-abort-v1', data: { reason: 'x' } })).not.toBeNull()
  })

  it('the fields of a kind are read beside it and in `data`; those beside it win', () => {
    const nested = { kind: 'REQUEST', data: { options: ['A'], request_type: 'decision' } }
    expect(eventDetails(nested)).toEqual({ kind: 'REQUEST', options: ['A'], request_type: 'decision' })
    expect(eventDetails({ kind: 'REQUEST', options: ['B'], data: { options: ['A'] } })).toMatchObject({
      options: ['B'],
    })
  })

  it.each<[string, unknown, object[]]>([
    ['none', undefined, []],
    ['no list', 'A', []],
    [
      'an id and a label, whatever else there is',
      [{ id: 'A', label: 'rewrite', cost: 3 }, { id: 'B' }],
      [{ id: 'A', label: 'rewrite' }],
    ],
    ['a word', ['yes', '', 7], [{ id: 'yes', label: 'yes' }]],
    ['the first of two with one id', [{ id: 'A', label: 'one' }, 'A'], [{ id: 'A', label: 'one' }]],
  ])('of the options that an ask offers, these can be chosen: %s', (_, options, offered) => {
    expect(offeredOptions({ options })).toEqual(offered)
  })

  it('an ask offers at most 16 options', () => {
    expect(offeredOptions({ options: Array.from({ length: 40 }, (_, i) => `${i}`) })).toHaveLength(16)
  })

  it('a kind that nobody knows yet is delivered', () => {
    const data = { kind: 'WEATHER', severity: 'info', message: 'rain' }
    expect(checkContent({ topic: 'worker.p7.event', schema: 'worker-event-v1', data })).toBeNull()
  })

  it('ids are words and need not be UUIDs', () => {
    expect(checkMessage({ ...whole, id: 'req-abc', correlation_id: 'r1' }).ok).toBe(true)
  })
})

const whole = {
  topic: 'worker.p7.phase',
  v: 1,
  id: '3f0b7a52-6f0e-4c1f-9a53-0f3c9d8f2a11',
  schema: 'worker-phase-v1',
  data: samples['worker-phase-v1'],
}

describe('[BUS-3] a message as it comes', () => {
  it('keeps its fields, and what its data has beyond the schema', () => {
    const message = { ...whole, data: { ...whole.data, colour: 'red' } }
    expect(checkMessage(message)).toEqual({ ok: true, message })
  })

  it.each([
    ['nothing', undefined, 'MESSAGE_TOO_LARGE', ''],
    ['a string', 'hello', 'MESSAGE_INVALID', ''],
    ['another envelope', { ...whole, v: 2 }, 'MESSAGE_INVALID', 'v'],
    ['no id', { ...whole, id: undefined }, 'MESSAGE_INVALID', 'id'],
    ['an id that is none', { ...whole, id: 'a b' }, 'MESSAGE_INVALID', 'id'],
    ['a topic that is none', { ...whole, topic: 'worker.*.phase' }, 'MESSAGE_INVALID', 'topic'],
    ['a topic of another space', { ...whole, topic: 'shop.p7.phase' }, 'MESSAGE_INVALID', 'topic'],
    ['a schema of v2', { ...whole, schema: 'worker-phase-v2' }, 'SCHEMA_UNKNOWN', 'schema'],
    ['data that is a list', { ...whole, data: [1] }, 'MESSAGE_INVALID', 'data'],
    ['a phase that is none', { ...whole, data: { ...whole.data, phase: 'LUNCH' } }, 'MESSAGE_INVALID', 'data.phase'],
    ['no date', { ...whole, ts_published: 'yesterday' }, 'MESSAGE_INVALID', 'ts_published'],
    ['a date that is none', { ...whole, ts_published: '2026-02-31T25:00:00Z' }, 'MESSAGE_INVALID', 'ts_published'],
  ])('refuses %s with a code and the place', (_what, message, code, path) => {
    expect(checkMessage(message)).toMatchObject({ ok: false, code, path })
    expect(errorCodes).toContain(code)
  })

  it('takes a clock that is far off: nothing is ordered by it', () => {
    const at = (ts_published: string) => checkMessage({ ...whole, ts_published }).ok
    expect([at('1999-01-01T00:00:00Z'), at('9998-12-31T23:59:59.999Z')]).toEqual([true, true])
  })

  it('refuses 64 KiB and one byte, and takes 64 KiB, counted in UTF-8', () => {
    const sized = (text: string) => ({ ...whole, data: { ...whole.data, metadata: { text } } })
    const room = 65_536 - new TextEncoder().encode(JSON.stringify(sized(''))).length
    const umlauts = 'ä'.repeat(Math.floor(room / 2))
    expect(checkMessage(sized(umlauts)).ok).toBe(true)
    expect(checkMessage(sized(`${umlauts}ää`))).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  it('refuses what goes around in circles', () => {
    const data: Record<string, unknown> = { ...whole.data }
    data.self = data
    expect(checkMessage({ ...whole, data })).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  it('never repeats the value that it refuses', () => {
    const refused = checkMessage({ ...whole, id: 'hunter2 hunter2' })
    expect(JSON.stringify(refused)).not.toContain('hunter2')
  })
})
