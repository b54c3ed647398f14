import { describe, expect, it } from 'vitest'
import { eventHash, eventOfHash } from './event-link'

describe('the link of an event', () => {
  it('names its number, and nothing else is taken for one', () => {
    expect(eventOfHash(eventHash(123))).toBe(123)
    for (const hash of ['', '#', '#e-', '#e-0', '#e-1x', '#e--1', '#e-1e9', '#md-1', `#e-${'9'.repeat(20)}`]) {
      expect(eventOfHash(hash)).toBeNull()
    }
  })
})
