import type { QueueEntry } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../journal/journal'
import { queueKey, type Turn, turnKey } from './turn'
import { TurnState } from './turn-state'

const entry: QueueEntry = { promptId: 'q1', rev: 0, text: 'Next.', commandId: 'c2', authorName: 'Ana' }
const waiting = { entries: [entry], held: false }

let news: unknown[]
let state: TurnState
beforeEach(() => {
  news = []
  const log = { lastSeq: 7, rows: { meta: (key: string) => (key === queueKey ? JSON.stringify(waiting) : null) } }
  state = new TurnState({
    journal: { log } as unknown as Journal,
    changed: () => {},
    news: (...told) => news.push(told),
  })
})

function begin(fields: Partial<Turn> = {}): Turn {
  const turn: Turn = { turnId: 't1', commandId: 'c1', phase: 'running', interruptAsked: false, ...fields }
  state.begin(turn)
  return turn
}

describe('[CMD-5] the queue after a turn', () => {
  it('goes on where the turn completed, and is held where it ended otherwise', () => {
    begin()
    state.closedBy('completed')
    expect(state.waiting.held).toBe(false)
    begin()
    state.closedBy('failed')
    expect(state.waiting.held).toBe(true)
  })

  it('goes on after an interrupt where a person released it meanwhile', () => {
    begin()
    expect(state.markInterrupt('t1')).toBe(true)
    state.goOn(state.waiting)
    state.closedBy('interrupted')
    expect(state.waiting.held).toBe(false)
  })

  it('goes on after the end of its program where a person released it meanwhile', () => {
    begin()
    expect(state.endWithProgram()?.turnId).toBe('t1')
    state.goOn(state.waiting)
    state.closedBy('process_exited')
    expect(state.waiting.held).toBe(false)
  })

  it('holds what was given back of a stopped turn until a person lets it go on', () => {
    state.giveBack(waiting, begin())
    expect(state.waiting.held).toBe(true)
    state.giveBack(waiting, begin({ goesOn: true }))
    expect(state.waiting.held).toBe(false)
  })
})

describe('a turn', () => {
  it('tells its command the end, and leaves no note of itself', () => {
    begin()
    const change = state.closedBy('completed')
    expect(change.meta).toMatchObject({ [turnKey]: null })
    expect(change.moved).toEqual([{ commandId: 'c1', state: 'done' }])
    expect(news).toEqual([['c1', 'done']])
    expect(state.current).toBeNull()
  })

  it('that nobody knows the end of is told so', () => {
    begin()
    expect(state.closedBy('outcome_unknown').moved).toEqual([{ commandId: 'c1', state: 'outcome_unknown' }])
  })

  it('is handed over once its program has the prompt, and another one is not interrupted for it', () => {
    const turn = begin({ phase: 'starting' })
    expect(state.handedOver).toBeNull()
    turn.phase = 'running'
    expect(state.handedOver).toBe(turn)
    expect(state.markInterrupt('t0')).toBe(false)
    expect(turn.interruptAsked).toBe(false)
  })

  it('is noted for the next host with the place where its events begin', () => {
    begin()
    expect(JSON.parse(state.note(true)[turnKey])).toEqual({
      turnId: 't1',
      commandId: 'c1',
      handedOver: true,
      startSeq: 8,
    })
  })
})
