import type { PermissionAsk } from '@roundhouse/backend-types'
import { goldenEvents } from '@roundhouse/backend-types/fixtures'
import { expect, it } from 'vitest'
import { decisionWords } from './decision-words'
import { sessionWords } from './session-words'

const ask: PermissionAsk = goldenEvents.permission_requested[0].ask
const words = (more: Partial<PermissionAsk>) => decisionWords({ ...ask, ...more }, 'OpenCode')

it('[PERM-4.6] does not promise that a program goes on after a denial whose reason it does not read', () => {
  expect(words({ canExplainDeny: true }).deny).toBe('Does not run. The model goes on and reads your reason.')
  expect(words({ canExplainDeny: false }).deny).toContain('OpenCode goes on without it, or ends its turn.')
})

it('[PERM-13] says of a rule of a folder for which program it counts', () => {
  expect(words({}).always).toContain('in all sessions of OpenCode in this folder')
})

it('says once what an allow for the session covers', () => {
  const scope = { kind: 'exact' } as const
  expect(sessionWords({ ...ask, sessionScope: { scope, label: 'exactly this action' } }, 'OpenCode')).toBe(
    '“Allow for session” runs this, and allows exactly this action for up to 8 hours. You can revoke it.',
  )
})
