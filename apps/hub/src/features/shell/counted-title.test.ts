import { describe, expect, it } from 'vitest'
import { countedTitle } from './counted-title'

describe('countedTitle', () => {
  it('puts the count in front, once, and takes it away again', () => {
    expect(countedTitle('Inbox · Roundhouse', 2)).toBe('(2) Inbox · Roundhouse')
    expect(countedTitle('(2) Inbox · Roundhouse', 3)).toBe('(3) Inbox · Roundhouse')
    expect(countedTitle('(3) Inbox · Roundhouse', 0)).toBe('Inbox · Roundhouse')
  })

  it('leaves other brackets alone', () => {
    expect(countedTitle('(wip) Fix it', 0)).toBe('(wip) Fix it')
  })
})
