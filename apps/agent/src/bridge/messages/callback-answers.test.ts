import { expect, it } from 'vitest'
import { decisionOf, PermissionAnswer } from './callback-answers'

const told = (payload: unknown) => decisionOf('call', PermissionAnswer.parse(payload))

it.each([
  ['no updated_input', { behavior: 'allow' }],
  ['none', { behavior: 'allow', updated_input: null, updated_permissions: null }],
  ['no changes of rules', { behavior: 'allow', updated_permissions: [] }],
])('an allow with %s runs the call as it was asked for', (_what, payload) => {
  expect(told(payload)).toEqual({ callId: 'call', decision: 'allow' })
})

it('an allow may change the input and the rules of the program', () => {
  const rules = [{ type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' }]
  expect(told({ behavior: 'allow', updated_input: { command: 'ls' }, updated_permissions: rules })).toEqual({
    callId: 'call',
    decision: 'allow',
    updatedInput: { command: 'ls' },
    updatedPermissions: rules,
  })
})

it('a denial gives its reason to the model, or ends the turn as well', () => {
  expect(told({ behavior: 'deny', message: 'no' })).toEqual({ callId: 'call', decision: 'deny', reason: 'no' })
  expect(told({ behavior: 'deny' })).toMatchObject({ decision: 'deny', reason: 'Denied' })
  expect(told({ behavior: 'deny', message: 'stop', interrupt: true })).toMatchObject({ decision: 'abort' })
})

it.each([{}, { behavior: 'maybe' }, { behavior: 'allow', updated_input: 'ls' }])('%j is no answer', (payload) => {
  expect(PermissionAnswer.safeParse(payload).success).toBe(false)
})
