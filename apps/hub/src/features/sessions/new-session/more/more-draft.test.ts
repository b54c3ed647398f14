import { CodedError, type SessionSettings } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import {
  type MoreDraft,
  moreDraft,
  moreErrors,
  moreSettings,
  notOffered,
  refusedField,
  sentenceAt,
  setFields,
} from './more-draft'

type Program = Parameters<typeof notOffered>[0]
const facts = { supportsMessageInjection: true, supportsSessionResume: true, emitsSubagentEvents: true }
const able: Program = {
  label: 'Able',
  capabilities: { ...facts, acceptsAllowedToolsList: true, needsPermissionConfig: true },
}
const plain: Program = {
  label: 'Plain',
  capabilities: { ...facts, acceptsAllowedToolsList: false, acceptsFolders: false, needsPermissionConfig: false },
}
const all: Partial<SessionSettings> = {
  roleId: 'tester',
  useBrainCore: false,
  systemPrompt: 'Be brief.',
  additionalDirs: ['/code/a', '/code/b c'],
  maxOutputTokens: 8_000,
  allowedTools: ['Read', 'Bash'],
  disallowedTools: ['WebFetch'],
  permissionConfig: { allowPatterns: ['Bash(pnpm:*)'], disallowPatterns: ['Bash(rm:*)'], defaultDecision: 'deny' },
}
const draft = (change: Partial<MoreDraft> = {}) => ({ ...moreDraft(), ...change })

describe('the settings under More', () => {
  it('become those that were written, and a session like another has the same', () => {
    expect(moreSettings(moreDraft(all), able)).toEqual(all)
    expect(moreSettings(moreDraft(), able)).toEqual({})
    const spaced = draft({ roleId: ' tester ', allowedTools: '\n Read \n\n' })
    expect(moreSettings(spaced, able)).toEqual({ roleId: 'tester', useBrainCore: true, allowedTools: ['Read'] })
  })

  it('[CAP-5.1] leave out what the program lacks, with the reason', () => {
    const { additionalDirs: _, allowedTools: __, disallowedTools: ___, permissionConfig: ____, ...rest } = all
    expect(moreSettings(moreDraft(all), plain)).toEqual(rest)
    expect(notOffered(plain, 'allowedTools')).toBe('Plain takes no list of tools.')
    for (const field of ['additionalDirs', 'disallowedTools', 'allowPatterns', 'defaultDecision'] as const) {
      expect(notOffered(plain, field)).toMatch(/^Plain /)
      expect(notOffered(able, field)).toBeNull()
    }
    expect(notOffered(plain, 'maxOutputTokens')).toBeNull()
  })

  it('are named while the section is folded', () => {
    expect(setFields(draft({ roleId: 'x', allowedTools: 'Read', defaultDecision: 'deny' }), able)).toEqual([
      'Role',
      'Allowed tools',
      'Everything else',
    ])
    expect(setFields(draft({ roleId: ' ', allowedTools: 'Read' }), plain)).toEqual([])
  })

  it.each<[Partial<MoreDraft>, keyof MoreDraft]>([
    [{ roleId: '../x' }, 'roleId'],
    [{ roleId: 'x'.repeat(65) }, 'roleId'],
    [{ maxOutputTokens: '0' }, 'maxOutputTokens'],
    [{ maxOutputTokens: '8k' }, 'maxOutputTokens'],
    [{ allowPatterns: 'Bash(pnpm:*)\nRead(~/x)' }, 'allowPatterns'],
    [{ disallowPatterns: 'Bash()' }, 'disallowPatterns'],
    [{ disallowedTools: 'x'.repeat(201) }, 'disallowedTools'],
    [{ allowedTools: 'Read\n'.repeat(201) }, 'allowedTools'],
  ])('say at the field what cannot be: %j', (change, field) => {
    expect(Object.keys(moreErrors(draft(change), able))).toEqual([field])
  })

  it('say nothing of a field that is not offered, nor of a sound one', () => {
    expect(moreErrors(draft({ allowPatterns: 'Read(~/x)' }), plain)).toEqual({})
    expect(moreErrors(moreDraft(all), able)).toEqual({})
  })

  it.each([
    [{ field: 'allowedTools' }, 'allowedTools'],
    [{ path: 'settings.roleId' }, 'roleId'],
    [{ path: 'settings.permissionConfig.disallowPatterns.3' }, 'disallowPatterns'],
    [{ field: 'permissionConfig' }, 'allowPatterns'],
    [{ path: 'settings.additionalDirs.0' }, 'additionalDirs'],
    [{ field: 'model' }, undefined],
    [{ path: '/code/x' }, undefined],
    [undefined, undefined],
  ])('find the field of a refusal: %j', (details, field) => {
    expect(refusedField(new CodedError('INVALID_ARGUMENT', 'no', details))).toBe(field)
  })

  it('show what the hub said as a sentence, without the way to the field', () => {
    const error = (message: string, path?: string) =>
      new CodedError('INVALID_ARGUMENT', message, path ? { path } : undefined)
    expect(
      sentenceAt(error('settings.systemPrompt: must have at most 65536 characters', 'settings.systemPrompt')),
    ).toBe('Must have at most 65536 characters.')
    expect(sentenceAt(error('Plain takes no list of tools.'))).toBe('Plain takes no list of tools.')
  })
})
