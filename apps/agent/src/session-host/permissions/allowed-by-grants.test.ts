import { expect, it } from 'vitest'
import { isAllowedByGrants } from './ask'

it.each([
  ['a question', { answerFields: { field: 'answers', names: ['Which?'] } }],
  ['a form', { form: { fields: [] } }],
  ['a form that cannot be shown', { form: { fields: [], problem: { code: 'FORM_UNREADABLE', message: 'No.' } } }],
  ['a plan', { plan: { text: 'Build it.' } }],
  ['what sets the mode', { canSetMode: true }],
  ['what its program wants a person for', { requiresUserInteraction: true }],
])('[PERM-5.23] no grant allows %s', (_what, meta) => {
  expect(isAllowedByGrants({ meta: meta as Parameters<typeof isAllowedByGrants>[0]['meta'] })).toBe(false)
})

it('[PERM-5.23] a grant may allow any other request', () => {
  expect(isAllowedByGrants({ meta: { cwd: '/code' } })).toBe(true)
})
