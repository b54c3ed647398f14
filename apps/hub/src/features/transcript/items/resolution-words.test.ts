import { type FolderRule, type Grant, type SessionEventOf, sessionRuleId } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { modeLabel } from '../../../ui/text/setting-words'
import { plainNames } from './names'
import { allowedBy, resolutionWords } from './resolution-words'

const offered = [
  { code: 'default', label: 'Ask' },
  { code: 'acceptEdits', label: 'Accept edits' },
]
const modeName = (code: string) => modeLabel(code, offered)

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
  ['a mode of its own', 'a mode of its own'],
  ['constructor', 'constructor'],
])('the mode %s is called as its machine calls it, else by its code', (mode, words) => {
  const names = { ...plainNames, mode: modeName }
  const { text } = resolutionWords(resolved(mode), { userId: 'u', name: 'Ana' }, names, true)
  expect(text).toBe(`Approved by Ana; continues in mode “${words}”`)
})

it('a plan is approved, as its buttons say, and everything else is allowed', () => {
  const { mode: _none, ...event } = resolved('default')
  const ana = { userId: 'u', name: 'Ana' }
  expect(resolutionWords(event, ana, plainNames, true).text).toBe('Approved by Ana')
  expect(resolutionWords(event, ana, plainNames).text).toBe('Allowed by Ana')
})

it('[PERM-12.12] names the rule of the session that allowed or refused it', () => {
  const by = { grantId: sessionRuleId, label: 'Bash(pnpm:*)', rule: 'session' } as const
  expect(resolutionWords({ ...resolved('x'), by }, undefined).text).toBe(
    'Allowed by the rules of this session: Bash(pnpm:*)',
  )
  const refused = { outcome: 'refused', refusedBy: 'policy', rule: sessionRuleId, pattern: 'Bash(rm:*)' } as const
  expect(resolutionWords({ ...resolved('x'), ...refused }, undefined).text).toBe(
    'Refused before it ran: the rules of this session deny Bash(rm:*)',
  )
})

it('[PERM-13.15] names the rule of the folder that allowed it, or that the decision left', () => {
  const by = { grantId: 'r', label: 'edits', rule: 'folder' } as const
  expect(resolutionWords({ ...resolved('x'), by }, undefined).text).toBe('Allowed by a rule of this folder: edits')
  const folderRule = { label: 'edits in /w' } as FolderRule
  const left = { ...resolved('x'), decision: 'allow_session', folderRule } as const
  expect(resolutionWords(left, { userId: 'u', name: 'Ana' }).text).toBe(
    'Always allowed in this folder by Ana: edits in /w',
  )
})

it('[PERM-13.9] [PERM-5.31] says whether a grant of the session or a rule of the folder can be revoked there', () => {
  const grant = { grantId: 'g' } as Grant
  const folderRule = { ruleId: 'r' } as FolderRule
  expect(allowedBy({ ...resolved('x'), by: { grantId: 'r', rule: 'folder' } })).toEqual({ ruleId: 'r' })
  expect(allowedBy({ ...resolved('x'), folderRule })).toEqual({ ruleId: 'r' })
  expect(allowedBy({ ...resolved('x'), by: { grantId: 'g' } })).toEqual({ grantId: 'g' })
  expect(allowedBy({ ...resolved('x'), grant })).toEqual({ grantId: 'g' })
  expect(allowedBy(resolved('x'))).toEqual({})
})
