import { HostState, type PermissionAsk, type QueueEntry } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { boundedState, shownQueue } from './bounded-state'

const entry = (text: string, n = 0): QueueEntry => ({ promptId: `p${n}`, rev: 0, text, commandId: `c${n}` })
const state = (parts: Partial<HostState> = {}): HostState => ({
  sessionId: 's',
  leaseToken: 1,
  rev: 1,
  atSeq: 1,
  status: { status: 'running' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
  ...parts,
})
const size = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
const FRAME = 1_000_000
const MIB = 1_048_576

describe('[LINK-5] [FLOW-6] an account of a session', () => {
  it.each([
    ['one prompt of 1 MiB', [entry('x'.repeat(MIB))]],
    ['200 prompts of 1 MiB', Array.from({ length: 200 }, (_, n) => entry('x'.repeat(MIB), n))],
    ['200 of characters that take four bytes', Array.from({ length: 200 }, (_, n) => entry('😀'.repeat(9_000), n))],
    [
      '200 of characters that JSON writes with six',
      Array.from({ length: 200 }, (_, n) => entry('\u0001'.repeat(9_000), n)),
    ],
  ])('[LINK-5.16] fits one frame with %s in its queue, and names each', (_what, queue) => {
    const bounded = boundedState(state({ queue }), FRAME)
    expect(size(bounded)).toBeLessThan(FRAME / 2)
    expect(bounded.queue.map(({ promptId }) => promptId)).toEqual(queue.map(({ promptId }) => promptId))
    expect(
      bounded.queue.every(({ text, cut }, index) => cut && text !== '' && queue[index]?.text.startsWith(text)),
    ).toBe(true)
    expect(HostState.safeParse(bounded).success).toBe(true)
  })

  it('has all of a queue of usual size, and of a short prompt beside a long one', () => {
    const queue = [entry('Short.', 0), entry('x'.repeat(100_000), 1)]
    expect(boundedState(state({ queue }), FRAME).queue).toEqual(queue)
    expect(shownQueue([entry('Short.', 0), entry('x'.repeat(MIB), 1)])[0]).toEqual(entry('Short.', 0))
  })

  it('[LINK-5.18] leaves out requests that do not fit, and goes on telling of turn and queue', () => {
    const requests = [{ requestId: 'r', input: 'x'.repeat(FRAME) } as unknown as PermissionAsk]
    const bounded = boundedState(state({ turnId: 't', queue: [entry('Next.')], requests }), FRAME)
    expect(bounded).toMatchObject({ turnId: 't', queue: [entry('Next.')], requests: [] })
  })
})
