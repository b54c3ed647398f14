import type { RequestView } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { currentRequest, neighbour } from './current-request'

const request = (requestId: string, answered = false) =>
  ({ ask: { requestId }, decision: answered ? { answer: 'allow' } : null, outcome: 'open' }) as RequestView

describe('currentRequest', () => {
  it('[PERM-6] shows the oldest unanswered question, or the one that was picked', () => {
    const open = [request('a'), request('b'), request('c')]
    expect(currentRequest(open, null)?.ask.requestId).toBe('a')
    expect(currentRequest(open, 'c')?.ask.requestId).toBe('c')
    expect(currentRequest(open, 'gone')?.ask.requestId).toBe('a')
  })

  it('goes on to the next one as soon as the picked one is answered', () => {
    expect(currentRequest([request('a', true), request('b')], 'a')?.ask.requestId).toBe('b')
  })

  it('keeps an answered one in sight while its machine has not taken the answer', () => {
    expect(currentRequest([request('a', true)], null)?.ask.requestId).toBe('a')
    expect(currentRequest([], null)).toBeUndefined()
  })
})

describe('neighbour', () => {
  it('walks around the end in both directions', () => {
    const open = [request('a'), request('b'), request('c')]
    const step = (from: number, by: 1 | -1) => neighbour(open, open[from] as RequestView, by).ask.requestId
    expect([step(0, 1), step(2, 1), step(0, -1)]).toEqual(['b', 'a', 'c'])
  })
})
