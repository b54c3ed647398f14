import { describe, expect, it } from 'vitest'
import { canStopTurn } from './can-stop'

describe('whether a question offers to stop its turn', () => {
  it('[PERM-1] it does while that turn runs, and no longer', () => {
    expect(canStopTurn({ turnId: 't1' }, 't1')).toBe(true)
    expect(canStopTurn({ turnId: 't1' }, null)).toBe(false)
    expect(canStopTurn({ turnId: 't1' }, 't2')).toBe(false)
    expect(canStopTurn({}, null)).toBe(false)
  })

  it('in a list, where nobody knows what runs, it goes by what the question says', () => {
    expect(canStopTurn({ turnId: 't1' }, undefined)).toBe(true)
    expect(canStopTurn({}, undefined)).toBe(false)
  })
})
