import type { SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { emptyProjection, projectEvent, type SessionProjection, soFarOf, withSoFar } from '../index'

const grant = { grantId: 'g', scope: { kind: 'tool', toolName: 'Write' } as const, label: 'Write', expiresAt: 9 }
const resolved = (over: object): SessionEvent =>
  ({ kind: 'permission_resolved', requestId: 'r', outcome: 'applied', ...over }) as SessionEvent
const log: SessionEvent[] = [
  {
    kind: 'session_created',
    logId: 'l',
    settings: { backend: 'scripted', workDir: '/w', model: 'small' },
    realWorkDir: '/real',
    title: 'T',
  },
  { kind: 'session_started', backendSessionId: 'b', resumed: false },
  { kind: 'turn_completed', turnId: 't1', reason: 'completed', cost: 1 },
  { kind: 'session_configured', changes: { model: 'large' }, by: 'person' },
  resolved({ grant }),
  { kind: 'turn_completed', turnId: 't2', reason: 'failed', cost: 2 },
  { kind: 'grant_ended', grantId: 'g', why: 'revoked' } as SessionEvent,
  resolved({ grant: { ...grant, grantId: 'h' } }),
  { kind: 'turn_completed', turnId: 't3', reason: 'completed', cost: 4 },
]
const fold = (from: SessionProjection, after: number, upTo = log.length) =>
  log.slice(after, upTo).reduce((row, event, index) => projectEvent(row, event, after + index + 1, 1).projection, from)
const whole = fold(emptyProjection(), 0)
const pruned = (to: number): SessionEvent => ({ kind: 'gap', from: 1, to, reason: 'pruned' })

describe('[REB-2.6] what a machine tells of a session whose beginning it has no more', () => {
  it.each([
    [2, 6],
    [5, 9],
    [8, 8],
  ])('[REB-2.5] gives, behind a gap up to %i and as of %i, what the whole log gives', (to, seq) => {
    const soFar = soFarOf(fold(emptyProjection(), 0, seq))
    const behind = projectEvent(emptyProjection(), pruned(to), 1, 1).projection
    const found = fold(soFar ? withSoFar(behind, soFar, 0) : behind, to)
    const { settings, realWorkDir, title, backendSessionId, turnFailed, cost, grants, lastLine } = whole
    expect(found).toMatchObject({ settings, realWorkDir, title, backendSessionId, turnFailed, cost, grants, lastLine })
  })

  it('is not believed over what came later, and gives a hub without any settings those alone', () => {
    const soFar = soFarOf(fold(emptyProjection(), 0, 6))
    if (!soFar) throw new Error('nothing is told')
    expect(withSoFar(whole, soFar)).toBe(whole)
    const unknown = { ...whole, settings: null, realWorkDir: null }
    expect(withSoFar(unknown, soFar)).toEqual({ ...unknown, settings: soFar.settings, realWorkDir: '/real' })
  })

  it('fits beside a batch: of what is too large the program and the folder are left', () => {
    const large = { ...whole, settings: { backend: 'scripted', workDir: '/w', systemPrompt: 'x'.repeat(200_000) } }
    expect(soFarOf(large)).toEqual({ seq: 0, settings: { backend: 'scripted', workDir: '/w' } })
    expect(soFarOf(emptyProjection())).toBeNull()
  })
})
