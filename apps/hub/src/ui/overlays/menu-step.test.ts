import { describe, expect, it } from 'vitest'
import { menuStep } from './menu-step'

const names = ['Rename…', 'Archive', 'End session for good…', 'Delete…']

describe('the keys of a menu', () => {
  it('go up and down, round at both ends, and to either end at once', () => {
    expect([-1, 0, 3].map((from) => menuStep(names, from, 'ArrowDown'))).toEqual([0, 1, 0])
    expect([-1, 0, 3].map((from) => menuStep(names, from, 'ArrowUp'))).toEqual([3, 3, 2])
    expect(['Home', 'End'].map((key) => menuStep(names, 1, key))).toEqual([0, 3])
  })

  it('find what begins with a letter, after the present one first', () => {
    expect([menuStep(names, 0, 'd'), menuStep(names, 3, 'R'), menuStep(names, 1, 'a')]).toEqual([3, 0, 1])
  })

  it('leave everything else alone', () => {
    expect(['x', ' ', 'Enter', 'Escape'].map((key) => menuStep(names, 0, key))).toEqual([null, null, null, null])
    expect(menuStep([], -1, 'ArrowDown')).toBeNull()
  })
})
