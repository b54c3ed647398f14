import type { SessionEvent } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { contextAccount } from './context-account'

const seen = (...events: SessionEvent[]) => events.map((event, index) => ({ seq: index + 1, at: 1_000 * index, event }))
const warning: SessionEvent = {
  kind: 'token_budget_warning',
  used: 150_000,
  hardLimit: 168_000,
  threshold: 142_800,
  distanceToHard: 18_000,
  maxOutputTokens: 32_000,
}
const usage = { used: 150_000, total: 200_000 }

it('says what is used, the limit and how far it is', () => {
  expect(contextAccount({ contextUsage: usage, settings: { maxOutputTokens: 16_000 } }, [])).toEqual({
    used: 150_000,
    total: 200_000,
    answer: 16_000,
    limit: 184_000,
    left: 34_000,
    steps: [],
  })
  const over = contextAccount(
    { contextUsage: { used: 199_000, total: 200_000 }, settings: { maxOutputTokens: 8_000 } },
    [],
  )
  expect(over.left).toBe(-7_000)
})

it('takes the limit of an answer from the last warning where the session has none, and guesses nothing', () => {
  expect(contextAccount({ contextUsage: usage, settings: {} }, seen(warning))).toMatchObject({
    limit: 168_000,
    left: 18_000,
  })
  expect(contextAccount({ settings: {} }, seen(warning))).toMatchObject({ used: 150_000, total: 200_000, left: 18_000 })
  const unknown = contextAccount({ contextUsage: usage, settings: {} }, [])
  expect([unknown.limit, unknown.left, unknown.answer]).toEqual([undefined, undefined, undefined])
})

it('lists each step of the ladder, each warning and each compaction', () => {
  const { steps } = contextAccount(
    { contextUsage: usage, settings: { maxOutputTokens: 8_000 } },
    seen(
      { kind: 'session_configured', changes: { maxOutputTokens: 32_000 }, by: 'person' },
      warning,
      { kind: 'session_configured', changes: { maxOutputTokens: 16_000 }, by: 'ladder' },
      { kind: 'session_configured', changes: { model: 'large' }, by: 'person' },
      { kind: 'system', subtype: 'compaction', data: { status: 'started' } },
      { kind: 'system', subtype: 'conversation_compacted', data: { tokensBefore: 154_000, tokensAfter: 12_300 } },
    ),
  )
  expect(steps.map(({ text }) => text)).toEqual([
    'Answer limit set to 32,000 tokens',
    'Nearly full: 150,000 of 168,000 tokens, 18,000 left',
    'Answer limit lowered to 16,000 tokens',
    'Compacted from 154,000 to 12,300 tokens',
  ])
})
