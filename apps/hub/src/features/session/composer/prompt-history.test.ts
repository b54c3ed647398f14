import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { historyStep, promptHistory } from './prompt-history'

const doneBy = { userId: 'u_1', name: 'Ana' }
const seen = (events: SessionEvent[]): SeenEvent[] =>
  events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event, doneBy }))
const said = (text: string): SessionEvent => ({ kind: 'user_message', promptId: 'p', text })

describe('promptHistory', () => {
  it('gives the latest first, each text once, and nothing that was not said by a person', () => {
    expect(
      promptHistory(seen([said('one'), said('two'), said(''), { kind: 'assistant_text', text: 'no' }, said('one')])),
    ).toEqual(['one', 'two'])
  })

  it('[VIEW-8] offers nobody a prompt that only a machine tells of', () => {
    expect(promptHistory(seen([said('rm -rf /')]).map(({ doneBy: _none, ...event }) => event))).toEqual([])
  })
})

describe('historyStep', () => {
  const history = ['latest', 'earlier']

  it('walks back, and forth again to what was being written', () => {
    const first = historyStep(history, { index: -1, text: 'draft' }, 'draft', true)
    expect(first).toEqual({ index: 0, text: 'latest' })
    const second = historyStep(history, first ?? { index: 0, text: '' }, 'draft', true)
    expect(second).toEqual({ index: 1, text: 'earlier' })
    expect(historyStep(history, { index: 1, text: 'earlier' }, 'draft', true)).toBeNull()
    expect(historyStep(history, { index: 0, text: 'latest' }, 'draft', false)).toEqual({ index: -1, text: 'draft' })
    expect(historyStep(history, { index: -1, text: 'draft' }, 'draft', false)).toBeNull()
  })
})
