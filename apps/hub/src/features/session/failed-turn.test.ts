import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { failedTurn } from './failed-turn'

const seen = (...events: SessionEvent[]): SeenEvent[] =>
  events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event }))

const prompt = { kind: 'user_message', text: 'Do it.' } as SessionEvent
const ended = (reason: 'failed' | 'completed') => ({ kind: 'turn_completed', turnId: 't', reason }) as SessionEvent

describe('failedTurn', () => {
  it('is the last one, with what it was asked, and only until something comes after it', () => {
    expect(failedTurn(seen(prompt, ended('failed')))).toEqual({ seq: 2, prompt: 'Do it.', imageIds: [] })
    expect(failedTurn(seen(prompt, ended('completed')))).toBeNull()
    expect(failedTurn(seen(prompt, ended('failed'), prompt))).toBeNull()
    expect(failedTurn(seen(ended('failed')))).toBeNull()
  })
})
