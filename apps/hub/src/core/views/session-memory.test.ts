import type { HostState, LiveFrame } from '@roundhouse/backend-types'
import { emptyProjection, type SessionProjection } from '@roundhouse/delivery'
import { beforeEach, describe, expect, it } from 'vitest'
import { SessionMemory } from './session-memory'

const sessionId = 's'
const facts = { agentId: 'box', connEpoch: 1 }

const stored = (seq: number, turnId: string | null): SessionProjection => ({ ...emptyProjection(), seq, turnId })

const account = (atSeq: number): HostState => ({
  sessionId,
  leaseToken: 1,
  rev: 1,
  atSeq,
  status: { status: 'resumable', why: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
})

const frame = (afterSeq: number): LiveFrame => ({
  sessionId,
  procId: 'p',
  blockId: `block-${afterSeq}`,
  kind: 'assistant_text',
  afterSeq,
  offset: 0,
  text: 'word',
})

describe('[LOG-5] [LINK-5] what the hub holds of a session beyond its row', () => {
  let memory: SessionMemory
  beforeEach(() => {
    memory = new SessionMemory()
  })
  const take = (afterSeq: number, projection: SessionProjection) =>
    memory.frame(frame(afterSeq), facts.agentId, projection)

  it('tells who reads a row slowly where its session stands by then', async () => {
    const seen = await memory.following(sessionId, async (followed) => {
      const before = followed.latest
      memory.eventsStored(sessionId, stored(4, null), [])
      const first = followed.latest
      memory.rebased(sessionId, stored(1, null))
      return [before, first?.seq, followed.latest?.seq]
    })
    expect(seen).toEqual([null, 4, 1])
    const nothing = await memory.following(sessionId, async (followed) => followed.latest)
    expect(nothing).toBeNull()
  })

  it('keeps the blocks of a turn', () => {
    take(3, stored(3, 't'))
    expect(memory.blocks(sessionId).map(({ text }) => text)).toEqual(['word'])
  })

  it('keeps nothing of a block whose frame comes after the end', () => {
    take(3, stored(5, null))
    expect(memory.agentOf(sessionId)).toBeUndefined()
  })

  it('keeps no such block either where the host gave its account once more', () => {
    memory.takeState(stored(5, null), account(5), facts)
    memory.rests(sessionId)
    memory.takeState(stored(5, null), account(5), facts)
    take(3, stored(5, null))
    expect(memory.blocks(sessionId)).toEqual([])
    expect(memory.rests(sessionId)).toBe(true)
    expect(memory.agentOf(sessionId)).toBeUndefined()
  })

  it('keeps the first block of the next turn, whose beginning is not stored yet', () => {
    memory.takeState(stored(5, null), account(6), facts)
    take(6, stored(5, null))
    expect(memory.blocks(sessionId).length).toBe(1)
  })
})
