import { describe, expect, it } from 'vitest'
import { roomToBorrow } from './scroll-body'

describe('the room that a scrolling box borrows', () => {
  it('is all that a box needs which nearly fits', () => {
    expect(roomToBorrow(0, 18)).toBe(18)
    expect(roomToBorrow(0, 64)).toBe(64)
  })

  it('is none where much would be hidden all the same', () => expect(roomToBorrow(0, 65)).toBe(0))

  it('stays while the box is whole, and grows with what it holds', () => {
    expect(roomToBorrow(18, 0)).toBe(18)
    expect(roomToBorrow(18, 20)).toBe(38)
  })

  it('is given back when the box holds too much by now', () => expect(roomToBorrow(18, 47)).toBe(0))
})
