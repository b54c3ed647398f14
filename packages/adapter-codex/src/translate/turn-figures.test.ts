import type { TurnCompleteInfo } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { denied } from './effects.test-support'
import { replay } from './replay.test-support'
import { Turn } from './turn'

const endsOf = (trace: string): TurnCompleteInfo[] =>
  replay(trace).flatMap((effect) => (effect.type === 'turn_completed' ? [effect.info] : []))

describe('[LOG-7.27] what Codex says of a turn', () => {
  it('has the calls that were declined, each in its own turn', () => {
    expect(endsOf('tool-deny').map(({ denials }) => denials)).toEqual([denied('call_fake000024')])
    expect(endsOf('tool-cancel').map(({ denials }) => denials)).toEqual([denied('call_fake000031'), undefined])
    expect(endsOf('tool-allow').map(({ denials }) => denials)).toEqual([undefined])
  })

  it('has no number of requests, no time of them and no reason to stop: it does not say', () => {
    const [info = {}] = endsOf('text-only')
    expect(Object.keys(info)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(numTurns|apiDuration|stopReason)$/)]),
    )
  })

  const counted = (inputTokens: number, cacheWriteInputTokens?: number) => ({ inputTokens, cacheWriteInputTokens })

  it('has what was written to the cache in this turn alone', () => {
    const turn = new Turn()
    const play = (total: number, last: number) => {
      turn.request()
      turn.count({ total: counted(total, total / 10), last: counted(last, last / 10) })
      return turn.complete({ status: 'completed' })?.info.usage
    }
    expect(play(1_000, 1_000)).toMatchObject({ inputTokens: 1_000, cacheWriteTokens: 100 })
    expect(play(3_000, 2_000)).toMatchObject({ inputTokens: 2_000, cacheWriteTokens: 200 })
  })

  it('has none of that where a release does not count it', () => {
    const turn = new Turn()
    turn.request()
    turn.count({ total: counted(1_000), last: counted(1_000) })
    expect(turn.complete({ status: 'completed' })?.info.usage).toEqual({
      inputTokens: 1_000,
      outputTokens: 0,
      cachedTokens: 0,
    })
  })
})
