import { expect, it } from 'vitest'
import { spawningRequest } from './spawning-request'

const form = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

it('a budget is what the person wrote, with a point or a comma, and an empty field sets none', () => {
  expect(spawningRequest(form({ budgetUsd: ' 2,50 ', budgetTokens: '' }))).toEqual({ on: true, budgetUsd: 2.5 })
  expect(spawningRequest(form({ budgetUsd: '', budgetTokens: '1000' }))).toEqual({ on: true, budgetTokens: 1000 })
  expect(spawningRequest(form({}))).toEqual({ on: true })
})
