import { describe, expect, it } from 'vitest'
import { linkWords } from './link-words'

describe('linkWords', () => {
  const away = { state: 'reconnecting' as const, since: 1_000, attempt: 3, retryAt: 9_500 }

  it('counts down to the next attempt', () => {
    expect(linkWords(away, 1_000)).toBe('Reconnecting in 9 s')
    expect(linkWords(away, 9_000)).toBe('Reconnecting in 1 s')
    expect(linkWords(away, 9_500)).toBe('Reconnecting…')
  })

  it('has a word for every other state', () => {
    expect(linkWords({ state: 'live' }, 0)).toBe('Live')
    expect(linkWords({ state: 'connecting' }, 0)).toBe('Connecting')
    expect(linkWords({ state: 'refused', code: 'AUTH_REQUIRED' }, 0)).toBe('Signed out: sign in')
  })
})
