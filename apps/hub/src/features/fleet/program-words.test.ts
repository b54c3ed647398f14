import { expect, it } from 'vitest'
import { programWords } from './program-words'

it.each([
  ['with a connection is connected', { state: 'here', connected: true }, 'Connected'],
  ['that only sends requests is not', { state: 'here' }, 'Not connected'],
  ['whose heartbeats stopped is silent, also with a connection', { state: 'stale', connected: true }, 'Silent'],
  ['without a connection that says nothing any more is silent', { state: 'stale' }, 'Silent'],
] as const)('[BUS-8.4] a program %s', (_which, peer, label) => {
  expect(programWords(peer).label).toBe(label)
})
