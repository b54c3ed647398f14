import { SessionEvent } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { fitTurnEnd } from './fit-reports'

const asEvent = (info: object) =>
  SessionEvent.parse({ kind: 'turn_completed', turnId: 't', reason: 'completed', ...fitTurnEnd(info) })

it('[LOG-7.27] what a program says of its turn is kept, its denials up to a hundred', () => {
  const figures = {
    usage: { inputTokens: 9, outputTokens: 2, cachedTokens: 5, cacheWriteTokens: 1 },
    numTurns: 3,
    stopReason: 'end_turn',
    apiDuration: 700,
    denials: [{ toolName: 'Bash', callId: 'c1', reason: 'not today' }, { toolName: 'Write' }],
  }
  expect(fitTurnEnd(figures)).toEqual(figures)
  expect(asEvent(figures)).toMatchObject(figures)
  const many = Array.from({ length: 300 }, (_, n) => ({ toolName: `t${n}` }))
  expect(fitTurnEnd({ denials: many }).denials).toEqual(many.slice(0, 100))
})

it('[LOG-7.28] a figure that is no number is absent, and the turn ends all the same', () => {
  const odd = {
    usage: { cacheWriteTokens: 'many' },
    numTurns: 1.5,
    stopReason: null,
    apiDuration: -4,
    denials: [
      null,
      'Bash',
      { toolName: 7 },
      { toolName: 'Bash', callId: 'x'.repeat(10_000), reason: 'r'.repeat(10_000) },
    ],
  } as never
  const { denials = [], ...rest } = fitTurnEnd(odd)
  expect(rest).toEqual({ usage: {} })
  expect(denials).toEqual([{ toolName: 'Bash', callId: expect.any(String), reason: expect.any(String) }])
  expect(JSON.stringify(denials).length).toBeLessThan(2_000)
  expect(() => asEvent(odd)).not.toThrow()
})
