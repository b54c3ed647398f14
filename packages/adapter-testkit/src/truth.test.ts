import type { BackendOutput } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { compareWithTruth, type TruthLine } from './truth'

const text = (value: string): BackendOutput => ({ kind: 'assistant_text', text: value })
const truth = ['a', 'b', 'c'].map(
  (value, index): TruthLine => ({ n: index + 1, backendSessionId: 's', pid: 1, turn: 1, output: text(value) }),
)
const numbers = (lines: TruthLine[]) => lines.map(({ n }) => n)

it('what was received whole and in order is neither lost nor wrong', () => {
  expect(compareWithTruth(truth, ['a', 'b', 'c'].map(text))).toEqual({ lost: [], wrong: [] })
})

it('names what was lost, at the end and in the middle', () => {
  expect(numbers(compareWithTruth(truth, [text('a')]).lost)).toEqual([2, 3])
  expect(numbers(compareWithTruth(truth, [text('a'), text('c')]).lost)).toEqual([2])
})

it('names what was doubled, made up or out of order', () => {
  expect(compareWithTruth(truth, ['a', 'a', 'b', 'c'].map(text)).wrong).toEqual([text('a')])
  expect(compareWithTruth(truth, ['a', 'b', 'c', 'd'].map(text)).wrong).toEqual([text('d')])
  expect(compareWithTruth(truth, ['b', 'a', 'c'].map(text)).wrong).toEqual([text('a')])
})

it('progress and raw lines are nobody’s truth', () => {
  const raw: BackendOutput = { kind: 'raw', backend: 'scripted', payload: 1 }
  expect(compareWithTruth(truth, [raw, ...['a', 'b', 'c'].map(text)])).toEqual({ lost: [], wrong: [] })
})
