import type { EventEnvelope, SessionEvent } from '@roundhouse/backend-types'
import { parseEventBody } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../log/serialize'
import { afterRebase, missingEnds, noLandmarks, note, withoutTold } from './landmarks'

const at = (seq: number, event: SessionEvent): EventEnvelope => {
  const body = JSON.stringify(event)
  return { seq, kind: event.kind, v: 1, at: 0, hash: sha256(body), body }
}
const began = (turnId: string): SessionEvent => ({ kind: 'turn_started', turnId, trigger: 'prompt' })
const ended = (turnId: string, reason: 'completed' | 'process_exited' = 'completed'): SessionEvent => ({
  kind: 'turn_completed',
  turnId,
  reason,
})
const text = (words: string, more: object = {}): SessionEvent => ({ kind: 'assistant_text', text: words, ...more })
const kinds = (events: readonly EventEnvelope[]) => events.map(({ seq, kind }) => `${seq} ${kind}`)

/** Turn `a` began at 2 and ended at 9; the log lost all behind 5, and its next host closed the turn at 6. */
const lost = note(noLandmarks, [at(2, began('a')), at(9, ended('a'))])
const closing = [at(6, ended('a', 'process_exited'))]

describe('what a log that lost its end is moved behind a gap with', () => {
  it('[LOG-7] [REB-1.28] leaves out the end of a turn that the hub saw end', () => {
    expect(withoutTold(lost, closing, { held: 5, to: 9 })).toEqual([])
  })

  it('[LOG-7.1] keeps it where the hub did not come so far', () => {
    expect(withoutTold(lost, closing, { held: 5, to: 8 })).toEqual(closing)
  })

  it('[LOG-7] [REB-1.29] leaves out the end of a turn of which the hub never saw the beginning', () => {
    const unheard = note(noLandmarks, [at(12, began('b'))])
    expect(withoutTold(unheard, [at(6, ended('b'))], { held: 5, to: 9 })).toEqual([])
  })

  it('keeps what is its own: a log that was put back and grew again in other words', () => {
    const own = [at(6, began('c')), at(7, ended('c'))]
    expect(withoutTold(note(lost, own), own, { held: 5, to: 9 })).toEqual(own)
  })

  it('[PERM-1] [REB-1.28] leaves out a second outcome', () => {
    const resolved = (outcome: 'applied' | 'orphaned'): SessionEvent => ({
      kind: 'permission_resolved',
      requestId: 'r',
      callId: 'k',
      outcome,
      digest: 'd',
    })
    const known = note(noLandmarks, [at(8, resolved('applied'))])
    expect(withoutTold(known, [at(6, resolved('orphaned'))], { held: 5, to: 9 })).toEqual([])
    expect(withoutTold(known, [at(6, resolved('orphaned'))], { held: 5, to: 7 })).toHaveLength(1)
  })

  it('[RES-9] [REB-1.30] leaves out a turn that it read from the transcript as made elsewhere, and says so once', () => {
    const elsewhere = (turnId: string): SessionEvent[] => [
      { kind: 'turn_started', turnId, trigger: 'backend', elsewhere: true, recovered: true },
      { kind: 'user_message', turnId, promptId: `p-${turnId}`, text: 'Again.', recovered: true },
      text('said before', { turnId, recovered: true }),
      { kind: 'turn_completed', turnId, reason: 'completed', recovered: true },
    ]
    const events = [...elsewhere('x'), ...elsewhere('y'), began('d'), text('own', { turnId: 'd' }), ended('d')]
    const left = withoutTold(
      lost,
      events.map((event, index) => at(6 + index, event)),
      { held: 5, to: 9 },
    )
    expect(kinds(left)).toEqual(['6 system', '7 turn_started', '8 assistant_text', '9 turn_completed'])
    expect(parseEventBody(left[0]?.body ?? '')).toMatchObject({ subtype: 'transcript_untold' })
  })

  it('[RES-6] says once that what the program did unseen is not repeated, and is dense', () => {
    const events = [
      at(6, text('one', { recovered: true, turnId: 'a' })),
      at(7, text('two', { recovered: true, turnId: 'a' })),
      at(8, began('d')),
      at(9, text('three', { recovered: true, turnId: 'd' })),
    ]
    const left = withoutTold(lost, events, { held: 5, to: 9 })
    expect(kinds(left)).toEqual(['6 system', '7 turn_started', '8 assistant_text'])
    expect(parseEventBody(left[0]?.body ?? '')).toMatchObject({ subtype: 'transcript_untold', turnId: 'a' })
  })

  it('[REB-2] leaves out nothing where the hub holds no more than the log', () => {
    expect(withoutTold(lost, closing, { held: 9, to: 9 })).toEqual(closing)
  })
})

describe('turns that a lost log has no word of', () => {
  it('[LOG-7] end as they did, or as ones whose end nobody saw', () => {
    const known = note(lost, [at(10, began('b'))])
    expect(missingEnds(known, new Set(), 0)).toEqual([ended('a'), ended('b', 'process_exited')])
    expect(missingEnds(known, new Set(['a']), 0)).toEqual([ended('b', 'process_exited')])
    expect(missingEnds(known, new Set(), 9)).toEqual([ended('b', 'process_exited')])
  })
})

it('after a rebase the landmarks are where the hub sees them: the same loss is found once more', () => {
  const moved = [at(11, began('e')), at(12, ended('e'))]
  const known = afterRebase(note(lost, [at(7, began('e'))]), { held: 5, to: 9 }, [at(7, began('e'))], moved)
  expect(known.turns.map(({ turnId, began: b, ended: e }) => [turnId, b?.seq, e?.seq])).toEqual([
    ['a', 2, 9],
    ['e', 11, 12],
  ])
})
