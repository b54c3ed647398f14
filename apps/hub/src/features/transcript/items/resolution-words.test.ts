import type { SessionEventOf } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { resolutionWords } from './resolution-words'

const resolved = (mode: string): SessionEventOf<'permission_resolved'> => ({
  kind: 'permission_resolved',
  requestId: 'r',
  callId: 'c',
  digest: 'd',
  outcome: 'applied',
  decision: 'allow',
  mode,
})

it.each([
  ['default', 'Ask'],
  ['acceptEdits', 'Accept edits'],
  ['bypassPermissions', 'Bypass permissions'],
  ['on-request', 'Ask when needed'],
  ['a mode of its own', 'a mode of its own'],
  ['constructor', 'constructor'],
])('the mode %s is called as its picker calls it', (mode, words) => {
  const { text } = resolutionWords(resolved(mode), { userId: 'u', name: 'Ana' })
  expect(text).toBe(`Allowed by Ana, to go on in the mode “${words}”`)
})
