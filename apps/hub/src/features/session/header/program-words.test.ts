import { expect, it } from 'vitest'
import { accountRows, serverWords } from './program-words'

it('a server is said to work with its tools, or why it does not', () => {
  const tools = [{ name: 'add' }]
  expect(serverWords({ name: 's', status: 'connected', tools })).toEqual({
    tone: 'done',
    label: 'Connected',
    detail: '1 tool',
  })
  expect(serverWords({ name: 's', status: 'connected', tools: [] }).detail).toBe('0 tools')
  expect(serverWords({ name: 's', status: 'failed', error: 'spawn ENOENT', tools: [] })).toEqual({
    tone: 'failed',
    label: 'Failed',
    detail: 'spawn ENOENT',
  })
})

it('a word of a program that nobody knows is shown as it is', () => {
  expect(serverWords({ name: 's', status: 'resting' })).toEqual({ tone: 'quiet', label: 'resting', detail: '' })
  expect(serverWords({ name: 's', status: 'constructor' }).label).toBe('constructor')
})

it('an account has the rows that say something', () => {
  expect(accountRows({ email: 'ana@example.com', tokenSource: 'none', apiKeySource: 'ANTHROPIC_API_KEY' })).toEqual([
    ['E-mail', 'ana@example.com'],
    ['Key from', 'ANTHROPIC_API_KEY'],
  ])
  expect(accountRows({})).toEqual([])
})
