import type { AskAnswer, InboxAsk } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { answerRequest, whatBecame, whoAsks } from './answer'

it.each([
  [answerRequest('approve', ' '), { decision: 'approve' }],
  [answerRequest('reject', ' No. '), { decision: 'reject', text: 'No.' }],
  [answerRequest('approve', '', 'B'), { decision: 'approve', option: 'B' }],
])('[BUS-12.5] the page sends %j', (sent, expected) => {
  expect(sent).toEqual(expected)
})

const entry: InboxAsk = {
  peerId: 'p',
  kind: 'token',
  name: 'Ann (deployer)',
  ask: { requestId: 'r', kind: 'REQUEST', message: 'Deploy?', options: [], at: 1 },
}
const by = { by: 'Ann', peerId: 'u_ann', at: 2 }

it.each<[AskAnswer | null, string]>([
  [{ decision: 'approve', ...by }, '“Deploy?” Answered by Ann: approved.'],
  [{ decision: 'reject', ...by }, '“Deploy?” Answered by Ann: rejected.'],
  [{ decision: 'approve', option: { id: 'B', label: 'patch' }, ...by }, '“Deploy?” Answered by Ann: patch.'],
  [null, '“Deploy?” is not open any more: Ann (deployer) went on without an answer.'],
])('[BUS-12.6] whoever was second reads who answered and how: %j', (answer, text) => {
  expect(whatBecame(entry, { answer })).toBe(text)
})

it('[BUS-14.1] a session that asks is called a session, whatever its title', () => {
  expect([whoAsks({ kind: 'session', name: 'Ann' }), whoAsks(entry)]).toEqual(['Session “Ann”', 'Ann (deployer)'])
})
