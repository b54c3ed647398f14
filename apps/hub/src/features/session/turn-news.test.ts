import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { turnNews } from './turn-news'

const seen = (...events: SessionEvent[]): SeenEvent[] =>
  events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event }))
const said = (text: string): SessionEvent => ({ kind: 'assistant_text', text })

describe('turnNews', () => {
  it('reads the last thing said, and how the turn ended', () => {
    const end: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'interrupted' }
    expect(turnNews(seen(said('One.'), said('Two.'), end))).toBe(
      'Two.\nTurn: Stopped. Your next prompt continues from here.',
    )
  })

  it('is silent about the rest, and brief about what is long', () => {
    expect(turnNews(seen({ kind: 'thinking', text: 'hm' }))).toBeNull()
    expect(turnNews(seen(said('x'.repeat(2_000))))).toHaveLength(301)
  })
})
