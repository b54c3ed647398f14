import { describe, expect, it } from 'vitest'
import { leastHeight, roomToBorrow } from './scroll-body'

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

describe('the least height of a card', () => {
  it('is all of it where that is little', () => expect(leastHeight(130, 70)).toBe(200))
  it('leaves some lines of a long body', () => {
    expect(leastHeight(130, 2_000)).toBe(288)
    expect(leastHeight(260, 2_000)).toBe(356)
  })
  it('is not the screen where much stands around the body', () => expect(leastHeight(600, 200)).toBe(448))
})
