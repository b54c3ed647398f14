import type { SessionEvent, SessionEventKind, SessionEventOf } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { emptyProjection } from '../index'
import { ask, project } from '../testing/builders'
import { oneLine } from './one-line'
import { type ProjectionEffect, projectEvent, projectUnreadable } from './project-event'
import type { SessionProjection } from './session-projection'

const grant = { grantId: 'g', scope: { kind: 'tool', toolName: 'Write' } as const, label: 'Write', expiresAt: 9 }
const settings = { backend: 'scripted', workDir: '/w', model: 'small' }

interface Cell<K extends SessionEventKind> {
  event: SessionEventOf<K>
  row?: Partial<SessionProjection>
  effects?: ProjectionEffect[]
}

/** A session in the middle of everything. */
const busy: SessionProjection = {
  ...emptyProjection(),
  seq: 10,
  settings,
  turnId: 't',
  openCalls: { c: { parentCallId: null } },
  requests: { r: ask() },
  grants: [grant],
  cost: 1,
  lastLine: 'before',
  exit: { procId: 'old', why: 'process_exited', error: null },
  createdAt: 1,
  updatedAt: 1,
}

/** What each kind of event does to that session as number 11, and what it tells the other tables. */
const table: { [K in SessionEventKind]: Cell<K> } = {
  session_created: {
    event: {
      kind: 'session_created',
      logId: 'l',
      settings,
      realWorkDir: '/real',
      title: 'T',
      author: { userId: 'u', name: 'U' },
    },
    row: { logId: 'l', realWorkDir: '/real', title: 'T', author: { userId: 'u', name: 'U' } },
  },
  session_started: {
    event: { kind: 'session_started', backendSessionId: 'b', resumed: true },
    row: { backendSessionId: 'b', exit: null },
  },
  session_configured: {
    event: { kind: 'session_configured', changes: { model: 'large' }, by: 'person', commandId: 'k' },
    row: { settings: { ...settings, model: 'large' } },
    effects: [{ kind: 'command_caused', commandId: 'k', state: 'done', seq: 11 }],
  },
  turn_started: {
    event: { kind: 'turn_started', turnId: 't2', trigger: 'backend' },
    row: { turnId: 't2', turnFailed: false },
  },
  user_message: {
    event: { kind: 'user_message', promptId: 'q', text: 'do\n  it', commandId: 'k' },
    row: { lastLine: 'do it' },
    effects: [{ kind: 'command_caused', commandId: 'k', state: 'done', seq: 11 }],
  },
  assistant_text: { event: { kind: 'assistant_text', text: 'Done.' }, row: { lastLine: 'Done.' } },
  thinking: { event: { kind: 'thinking', text: 'hm' } },
  tool_use: {
    event: { kind: 'tool_use', callId: 'c2', toolName: 'Read', input: {}, parentCallId: 'c' },
    row: { openCalls: { c: { parentCallId: null }, c2: { parentCallId: 'c' } } },
  },
  tool_result: { event: { kind: 'tool_result', callId: 'c', output: 'ok' }, row: { openCalls: {} } },
  plan: { event: { kind: 'plan', items: [] } },
  system: { event: { kind: 'system', subtype: 'x', data: null } },
  permission_requested: {
    event: { kind: 'permission_requested', ask: ask({ requestId: 'r2' }) },
    row: { requests: { r: ask(), r2: ask({ requestId: 'r2' }) } },
    effects: [{ kind: 'request_opened', ask: ask({ requestId: 'r2' }), seq: 11 }],
  },
  permission_resolved: {
    event: {
      kind: 'permission_resolved',
      requestId: 'r',
      callId: 'c',
      outcome: 'applied',
      decision: 'allow_session',
      digest: 'd',
      grant: { ...grant, grantId: 'g2' },
    },
    row: { requests: {}, grants: [grant, { ...grant, grantId: 'g2' }] },
    effects: [{ kind: 'request_resolved', requestId: 'r', outcome: 'applied', decision: 'allow_session', seq: 11 }],
  },
  grant_ended: { event: { kind: 'grant_ended', grantId: 'g', why: 'revoked' }, row: { grants: [] } },
  token_budget_warning: {
    event: { kind: 'token_budget_warning', used: 1, hardLimit: 2, threshold: 1, distanceToHard: 1, maxOutputTokens: 1 },
  },
  turn_completed: {
    event: { kind: 'turn_completed', turnId: 't', reason: 'completed', cost: 0.5, contextUsage: { used: 1, total: 2 } },
    row: { turnId: null, lastTurn: { reason: 'completed' }, cost: 1.5, contextUsage: { used: 1, total: 2 } },
    effects: [{ kind: 'turn_completed', turnId: 't', reason: 'completed', seq: 11 }],
  },
  process_exited: {
    event: { kind: 'process_exited', procId: 'p', code: 1, signal: null, stderrTail: '', cause: 'host_died' },
    row: { exit: { procId: 'p', why: 'host_died', error: null } },
  },
  session_ended: {
    event: { kind: 'session_ended', why: 'failed', error: { code: 'BACKEND_AUTH', message: 'm' } },
    row: { ended: { why: 'failed', error: { code: 'BACKEND_AUTH', message: 'm' } } },
    effects: [{ kind: 'session_ended', seq: 11 }],
  },
  published: {
    event: { kind: 'published', id: 'm', topic: 'worker.s.event', schema: 'worker-event-v1', data: { kind: 'LOG' } },
  },
  session_request: { event: { kind: 'session_request', requestId: 'q', verb: 'spawn', input: { prompt: 'p' } } },
  gap: {
    event: { kind: 'gap', from: 11, to: 30, reason: 'rebase' },
    row: { seq: 30, turnId: null, openCalls: {}, requests: {}, grants: [], isTorn: true },
    effects: [{ kind: 'rebased', seq: 11 }],
  },
}

describe('projectEvent', () => {
  it.each(Object.entries(table) as Array<[string, Cell<SessionEventKind>]>)('[LOG-7] [SES-2] %s', (_kind, cell) => {
    const event = cell.event as SessionEvent
    expect(projectEvent(busy, event, 11, 2_000)).toEqual({
      projection: { ...busy, seq: 11, updatedAt: 2_000, ...cell.row },
      effects: cell.effects ?? [],
    })
  })

  it('[REB-2.3] what was pruned ended out of sight, and commands are none the worse for it', () => {
    const { projection, effects } = projectEvent(busy, { kind: 'gap', from: 11, to: 30, reason: 'pruned' }, 11, 2_000)
    expect(projection).toMatchObject({ seq: 30, turnId: null, requests: {} })
    expect(effects).toEqual([{ kind: 'pruned', seq: 11 }])
  })

  it('[CMD-3.1] a command whose turn was cut off before a sign of life is of unknown outcome', () => {
    const event: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'outcome_unknown', commandId: 'k' }
    expect(projectEvent(busy, event, 11, 1).effects).toContainEqual({
      kind: 'command_caused',
      commandId: 'k',
      state: 'outcome_unknown',
      seq: 11,
    })
  })

  it('[REB-1] a session that is there has not begun with its first prompt yet', () => {
    const event: SessionEvent = { kind: 'session_created', logId: 'l', settings, realWorkDir: '/w', commandId: 'k' }
    expect(projectEvent(emptyProjection(), event, 1, 1).effects).toEqual([
      { kind: 'command_caused', commandId: 'k', state: 'done', seq: 1, withoutPrompt: true },
    ])
  })

  it('[LOG-7] a failed turn is remembered until the next one begins, or a gap hides what came of it', () => {
    const error = { code: 'BACKEND_ERROR', message: 'm' }
    const failed: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'failed', error }
    const { projection } = projectEvent(busy, failed, 11, 1)
    expect(projection).toMatchObject({ turnFailed: true, lastTurn: { reason: 'failed', error } })
    const later: SessionEvent[] = [table.turn_started.event, table.gap.event]
    for (const event of later)
      expect(projectEvent(projection, event, 12, 1).projection).toMatchObject({
        turnFailed: false,
        lastTurn: undefined,
      })
    const other = projectEvent(busy, { ...failed, turnId: 'x' }, 11, 1).projection
    expect(other).toMatchObject({ turnFailed: false })
    expect(other.lastTurn).toBeUndefined()
  })

  it('[RUN-3.4] a gap before the end of a turn is remembered, and none that comes behind it', () => {
    const { gap, turn_completed } = table
    const after = (...events: SessionEvent[]) =>
      events.reduce((p, event, i) => projectEvent(p, event, 11 + i, 1).projection, busy)
    const ends = { ...turn_completed.event, turnId: 't' } as SessionEvent
    expect(after(gap.event, ends)).toMatchObject({ isTorn: true, lastTurn: { reason: 'completed' } })
    expect(after(ends, gap.event).isTorn).toBeUndefined()
  })

  it('[LOG-7] the end of another turn leaves the running one alone', () => {
    expect(projectEvent(busy, { kind: 'turn_completed', turnId: 'x', reason: 'failed' }, 11, 1).projection.turnId).toBe(
      't',
    )
  })

  it('[CAP-4.2] a setting that a program refused is what it was before, or gone', () => {
    const chosen = { ...busy, settings: { ...settings, model: 'new', thinking: 'most' } }
    const changes = { model: 'old' }
    const event: SessionEvent = { kind: 'session_configured', changes, unset: ['thinking'], by: 'backend' }
    expect(projectEvent(chosen, event, 11, 1).projection.settings).toEqual({ ...settings, model: 'old' })
  })

  it('what a sub-agent says is not what the session is about', () => {
    const event: SessionEvent = { kind: 'assistant_text', text: 'inner', parentCallId: 'c' }
    expect(projectEvent(busy, event, 11, 1).projection.lastLine).toBe('before')
  })

  it('a text that was cut shows its head', () => {
    const text = { cut: true as const, head: 'the head', tail: 'the tail', bytes: 9, sha256: 'x' }
    expect(projectEvent(busy, { kind: 'assistant_text', text }, 11, 1).projection.lastLine).toBe('the head')
  })

  it('the row is plain JSON and stays small over a long session', () => {
    const events: SessionEvent[] = [table.session_created.event]
    for (let n = 0; n < 500; n += 1) {
      events.push({ kind: 'tool_use', callId: `lost${n}`, toolName: 'Read', input: 'x'.repeat(100) })
      events.push({ kind: 'permission_requested', ask: ask({ requestId: `r${n}` }) })
      events.push({ kind: 'permission_resolved', requestId: `r${n}`, callId: 'c', outcome: 'expired', digest: 'd' })
      events.push({ kind: 'assistant_text', text: `line ${n} `.repeat(200) })
    }
    const { projection } = project(...events)
    const text = JSON.stringify(projection)
    expect(JSON.parse(text)).toEqual(projection)
    expect(text.length).toBeLessThan(16_384)
    expect(projection).toMatchObject({ seq: 2_001, requests: {} })
  })

  it('[BAD-2] [BAD-3] an event that cannot be read moves the row on', () => {
    expect(projectUnreadable(busy, 12, 3_000)).toEqual({ ...busy, seq: 12, updatedAt: 3_000 })
  })
})

describe('oneLine', () => {
  it('flattens white space and never cuts a character in two', () => {
    expect(oneLine('  a\n\n b\tc ')).toBe('a b c')
    expect(oneLine('😀😀', 3)).toBe('😀')
    expect(oneLine('x'.repeat(1_000))).toHaveLength(200)
  })
})

it('[SES-5] costs that are too large to be added are the largest number there is, and none that no table holds', () => {
  const turn: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'completed', cost: 1.7e308 }
  const twice = projectEvent(projectEvent(emptyProjection(), turn, 1, 1).projection, turn, 2, 2).projection
  expect(twice.cost).toBe(Number.MAX_VALUE)
})
