import type { PermissionAsk } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { approvalsOf, furtherInput } from './plan-approvals'

const ask = {
  canSetMode: true,
  input: { plan: '# Plan', allowedPrompts: [{ tool: 'Bash' }] },
} as unknown as PermissionAsk
const plan = { text: '# Plan', modes: { ask: 'default', acceptEdits: 'acceptEdits' } }

it('[PERM-2] a plan is approved in the modes that the machine offers, by people who may prompt', () => {
  expect(approvalsOf(ask, plan, true)).toEqual([
    { label: 'Approve and keep asking', mode: 'default' },
    { label: 'Approve and accept edits', mode: 'acceptEdits' },
  ])
  expect(approvalsOf(ask, { ...plan, modes: { ask: 'default' } }, true)).toEqual([
    { label: 'Approve and keep asking', mode: 'default' },
  ])
  expect(approvalsOf(ask, plan, false)).toEqual([{ label: 'Approve' }])
  expect(approvalsOf(ask, { text: '' }, true)).toEqual([{ label: 'Approve' }])
})

it('[PERM-7.1] what stands beside the plan is shown as well', () => {
  expect(furtherInput(ask, plan)).toEqual([['allowedPrompts', [{ tool: 'Bash' }]]])
})
