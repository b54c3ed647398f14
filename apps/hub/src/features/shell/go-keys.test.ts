import { describe, expect, it } from 'vitest'
import { type GoStep, goStep } from './go-keys'

function press(...keys: Array<[key: string, at: number]>): GoStep {
  let step: GoStep = { startedAt: null, target: null, taken: false }
  for (const [key, at] of keys) step = goStep(step.startedAt, key, at)
  return step
}

describe('goStep', () => {
  it.each([
    ['i', '/'],
    ['s', '/sessions'],
    ['f', '/fleet'],
    ['a', '/agents'],
    ['p', '/people'],
  ])('g %s goes to %s, and the second key is nobody else’s', (key, target) => {
    expect(press(['g', 0], [key, 300])).toEqual({ startedAt: null, target, taken: true })
  })

  it('takes a wrong second key too, so that g x does not end a turn', () => {
    expect(press(['g', 0], ['x', 300])).toEqual({ startedAt: null, target: null, taken: true })
  })

  it('leaves a lone key to others, and one that comes too late', () => {
    expect(press(['a', 0]).taken).toBe(false)
    expect(press(['g', 0], ['a', 1_300])).toEqual({ startedAt: null, target: null, taken: false })
  })

  it('is not disturbed by a key that writes nothing', () => {
    expect(press(['g', 0], ['Shift', 100], ['i', 300]).target).toBe('/')
  })
})
