import { expect, it } from 'vitest'
import { markedRow } from './marked-row'

it('keeps the row that a person chose as long as it is there', () => {
  expect(markedRow(['ses_1', 'ses_2'], 'ses_2')).toBe('ses_2')
})

it('marks the first row where the marked one is gone, or none was', () => {
  expect([markedRow(['ses_3', 'Agents'], 'ses_2'), markedRow(['Agents'], undefined)]).toEqual(['ses_3', 'Agents'])
})

it('marks nothing where nothing is found', () => {
  expect(markedRow([], 'ses_2')).toBe('')
})
