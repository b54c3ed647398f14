import { expect, it } from 'vitest'
import { keptMeta } from './kept-meta'

it('[LOG-7.24] what a program says of its turn is kept as it is said', () => {
  const meta = { stopReason: 'end_turn', numTurns: 1, nested: { list: [1, null, 'x'] } }
  expect(keptMeta({ ...meta, absent: undefined })).toEqual({ backendMeta: meta })
  expect(keptMeta(undefined)).toEqual({})
})

it('[LOG-7.25] a member that is too large, or no JSON, is left out, and the others stay', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const odd = { large: 'x'.repeat(9_000), circle, call: () => 1, kept: 'yes' }
  expect(keptMeta(odd)).toEqual({ backendMeta: { kept: 'yes' }, backendMetaCut: true })
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`m${n}`, n]))
  expect(Object.keys(keptMeta(many).backendMeta ?? {})).toHaveLength(100)
  expect(keptMeta([1] as never)).toEqual({})
  expect(keptMeta('text' as never)).toEqual({})
})
