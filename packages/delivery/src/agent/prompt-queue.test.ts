import type { QueueEntry, TurnEnd } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { edit, emptyQueue, enqueue, move, type PromptQueue, release, remove, takeNext, turnEnded } from './prompt-queue'

const entry = (promptId: string, over: Partial<QueueEntry> = {}): QueueEntry => ({
  promptId,
  rev: 0,
  text: promptId,
  commandId: `k-${promptId}`,
  ...over,
})
const queueOf = (...ids: string[]): PromptQueue => ids.reduce((queue, id) => enqueue(queue, entry(id)), emptyQueue())
const ids = (queue: PromptQueue) => queue.entries.map(({ promptId }) => promptId)

describe('the prompt queue', () => {
  it('[CMD-5] prompts start in the order in which they were accepted', () => {
    const { queue, entry: first } = takeNext(queueOf('a', 'b'))
    expect([first?.promptId, ids(queue)]).toEqual(['a', ['b']])
    expect(takeNext(emptyQueue()).entry).toBeNull()
  })

  it('[CMD-5] the same prompt is queued once', () => {
    expect(ids(enqueue(queueOf('a'), entry('a')))).toEqual(['a'])
  })

  it('[CMD-5.3] a change compares and sets the revision', () => {
    const changed = edit(queueOf('a', 'b'), 'a', 0, 'new')
    expect(changed.answer).toBe('ok')
    expect(changed.queue.entries[0]).toEqual(entry('a', { text: 'new', rev: 1 }))
    expect(edit(changed.queue, 'a', 0, 'late')).toEqual({ queue: changed.queue, answer: 'rev_changed' })
    expect(remove(changed.queue, 'a', 0).answer).toBe('rev_changed')
    expect(ids(remove(changed.queue, 'a', 1).queue)).toEqual(['b'])
  })

  it('[CMD-5.4] [CMD-5.5] what has started cannot be changed, and is not lost', () => {
    const { queue } = takeNext(queueOf('a', 'b'))
    for (const change of [edit(queue, 'a', 0, 'x'), remove(queue, 'a', 0), move(queue, 'a', 0, 1)]) {
      expect(change).toEqual({ queue, answer: 'already_started' })
    }
  })

  it.each([
    [0, ['c', 'a', 'b']],
    [1, ['a', 'c', 'b']],
    [99, ['a', 'b', 'c']],
  ])('[CMD-5] an entry is moved to place %i', (index, order) => {
    expect(ids(move(queueOf('a', 'b', 'c'), 'c', 0, index).queue)).toEqual(order)
  })

  const holds: Record<TurnEnd, boolean> = {
    completed: false,
    interrupted: true,
    failed: true,
    process_exited: true,
    max_turns: true,
    budget: true,
    outcome_unknown: true,
  }
  it.each(Object.entries(holds))(
    '[CMD-5.6] [CMD-5.7] after a turn that ended %s the queue is held: %s',
    (reason, held) => {
      const queue = turnEnded(queueOf('a'), reason as TurnEnd)
      expect(queue.held).toBe(held)
      expect(takeNext(queue).entry === null).toBe(held)
    },
  )

  it('[CMD-5.7] a person lets a held queue go on by sending, releasing or clearing', () => {
    const held = turnEnded(queueOf('a'), 'failed')
    expect(takeNext(enqueue(held, entry('b'))).entry?.promptId).toBe('a')
    expect(takeNext(release(held)).entry?.promptId).toBe('a')
    expect(remove(held, 'a', 0).queue).toEqual(emptyQueue())
  })

  it('[CMD-5] an empty queue is not held', () => {
    expect(turnEnded(emptyQueue(), 'failed')).toEqual(emptyQueue())
  })
})
