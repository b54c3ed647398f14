import type { RequestView } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { goneRequests } from './gone-requests'

const form = { fields: [{ kind: 'text', name: 'Which?', label: 'Which?', required: true }] }
const request = (requestId: string, more: object = {}) =>
  ({ ask: { requestId, form }, decision: null, outcome: 'open', ...more }) as unknown as RequestView
const before = (shown: RequestView[], here: string[] = []) => ({
  shown,
  here: new Set(here),
  draftOf: (id: string) => (id === 'r1' ? { 'Which?': { chosen: [], own: false, text: 'Half' } } : undefined),
})

it('[PERM-6] a question that somebody else answered says who, and keeps what was filled in', () => {
  const decision = { answer: 'allow', userName: 'Ben', device: 'Phone' }
  expect(goneRequests(before([request('r1', { decision }), request('r2')]), [request('r2')])).toEqual([
    { requestId: 'r1', text: '“Which?” was answered by Ben (Phone).', unsent: 'Which? Half' },
  ])
})

it('one that went away for a reason that this page never saw says so', () => {
  expect(goneRequests(before([request('r2')]), [])[0]).toMatchObject({
    text: expect.stringContaining('answered elsewhere, or the program took it back'),
    unsent: '',
  })
})

it('what this page answered, and what is no question, leaves quietly', () => {
  const action = { ...request('r3'), ask: { requestId: 'r3' } } as unknown as RequestView
  expect(goneRequests(before([request('r1'), action], ['r1']), [])).toEqual([])
})
