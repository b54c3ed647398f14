import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { failedTurn } from './failed-turn'

const seen = (...events: SessionEvent[]): SeenEvent[] =>
  events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event }))

const begun = (turnId: string, more: object = {}) =>
  ({ kind: 'turn_started', turnId, trigger: 'prompt', ...more }) as SessionEvent
const said = (text: unknown, more: object = {}) => ({ kind: 'user_message', text, ...more }) as SessionEvent
const ended = (turnId: string, reason: 'failed' | 'completed') =>
  ({ kind: 'turn_completed', turnId, reason }) as SessionEvent
const doIt = [begun('t1'), said('Do it.')]

describe('failedTurn', () => {
  it('is the last one, with what it was asked, and only until something comes after it', () => {
    const failed = [...doIt, ended('t1', 'failed')]
    expect(failedTurn(seen(...failed))).toEqual({ seq: 3, prompt: 'Do it.', imageIds: [] })
    expect(failedTurn(seen(...doIt, ended('t1', 'completed')))).toBeNull()
    expect(failedTurn(seen(...failed, said('Something else.')))).toBeNull()
    expect(failedTurn(seen(...failed, begun('t2')))).toBeNull()
  })

  it('is asked again what began it, not what it was steered with', () => {
    const steered = seen(...doIt, said('Rather that.', { steer: true }), ended('t1', 'failed'))
    expect(failedTurn(steered)).toMatchObject({ prompt: 'Do it.' })
  })

  it('has nothing to ask again where the program began it, or its beginning is not here', () => {
    const before = [...doIt, ended('t1', 'completed')]
    const own = begun('t2', { trigger: 'backend' })
    expect(failedTurn(seen(...before, own, ended('t2', 'failed')))).toBeNull()
    expect(failedTurn(seen(...before, own, said('And?', { steer: true }), ended('t2', 'failed')))).toBeNull()
    expect(failedTurn(seen(ended('t1', 'failed')))).toBeNull()
  })

  it('may be a turn that a terminal took', () => {
    const elsewhere = begun('t2', { trigger: 'backend', elsewhere: true })
    expect(
      failedTurn(seen(...doIt, ended('t1', 'completed'), elsewhere, said('There.'), ended('t2', 'failed'))),
    ).toMatchObject({
      prompt: 'There.',
    })
  })

  it('has a prompt whose middle is on the machine alone as what it is', () => {
    const cut = { cut: true, head: 'a', tail: 'z', bytes: 70_000, sha256: '0'.repeat(64), artifactId: 'x' }
    expect(failedTurn(seen(begun('t1'), said(cut), ended('t1', 'failed')))).toMatchObject({ prompt: cut })
  })
})
