import { describe, expect, it } from 'vitest'
import { CommandLane, type Due, LANE_WIDTH, OF_ONE_SESSION } from './command-lane'

const ordered = (n: number): Due => ({ commandId: `c${n}`, sessionId: `s${n}`, way: 'ordered' })
const urgent = (n: number): Due => ({ commandId: `u${n}`, sessionId: `s${n}`, way: 'turn' })
const taken = (lane: CommandLane) => {
  const ids: string[] = []
  for (let due = lane.take(); due; due = lane.take()) ids.push(due.commandId)
  return ids
}

function crowd(size: number): CommandLane {
  const lane = new CommandLane()
  for (let n = 0; n < size; n += 1) lane.put(`s${n}`, [ordered(n)], false)
  return lane
}

describe('the way to one machine', () => {
  it('[CMD-7] a few are on their way at once, in the order in which they came, and an answer makes room for one', () => {
    const lane = crowd(100)
    expect(taken(lane)).toEqual(Array.from({ length: LANE_WIDTH }, (_, n) => `c${n}`))
    lane.done('c3', false)
    expect(taken(lane)).toEqual([`c${LANE_WIDTH}`])
  })

  it('[CMD-7] a decision does not wait behind a crowd of prompts, nor a crowd of decisions without bound', () => {
    const lane = crowd(100)
    taken(lane)
    for (let n = 0; n < 50; n += 1) lane.put(`s${n}`, [urgent(n), ordered(n)], false)
    expect(taken(lane)).toEqual(Array.from({ length: LANE_WIDTH }, (_, n) => `u${n}`))
  })

  it('[CMD-7] [FLOW-3] a session that answers nothing keeps no decision on another, and its own stop arrives', () => {
    const lane = new CommandLane()
    const of = (n: number, way: Due['way'], id: string): Due => ({ commandId: id, sessionId: `s${n}`, way })
    const many = Array.from({ length: 40 }, (_, n) => of(0, 'turn', `frozen${n}`))
    lane.put('s0', many, true)
    expect(taken(lane)).toHaveLength(OF_ONE_SESSION)
    lane.put('s1', [of(1, 'turn', 'neighbour')], false)
    lane.put('s0', [...many, of(0, 'end', 'stop')], true)
    expect(taken(lane)).toEqual(['stop', 'neighbour'])
    lane.done('frozen0', false)
    expect(taken(lane)).toEqual(['frozen2'])
  })

  it('[CMD-7] a session that somebody looks at goes first', () => {
    const lane = crowd(100)
    lane.put('s90', [ordered(90)], true)
    lane.prefer('s80')
    expect(taken(lane).slice(0, 3)).toEqual(['c90', 'c80', 'c0'])
  })

  it('[CMD-7] what the machine holds until there is a place stands in nobody’s way', () => {
    const lane = crowd(100)
    const first = taken(lane)
    lane.hold(first)
    expect(taken(lane)).toHaveLength(LANE_WIDTH)
    lane.hold([])
    expect(taken(lane)).toEqual([])
  })

  it('what failed rests until it is woken; what the machine holds, until it is overdue', () => {
    const lane = crowd(2)
    taken(lane)
    lane.done('c0', true)
    lane.done('c1', true)
    lane.put('s0', [ordered(0)], false)
    expect(taken(lane)).toEqual([])
    lane.hold(['c1'])
    expect(lane.wake(new Set())).toBe(true)
    for (const n of [0, 1]) lane.put(`s${n}`, [ordered(n)], false)
    expect(taken(lane)).toEqual(['c0'])
    expect(lane.wake(new Set(['c1']))).toBe(true)
    expect(lane.wake(new Set())).toBe(false)
  })
})
