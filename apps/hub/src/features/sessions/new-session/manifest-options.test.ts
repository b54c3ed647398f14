import type { BackendManifestEntry, ManifestChoice } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { backendOptions, choiceOptions, modeOptions, sandboxOptions, thinkingChoices } from './manifest-options'

it('a program that is not installed is shown with the reason, and cannot be chosen', () => {
  const kilo = { kind: 'kilo', label: 'Kilo', installed: true }
  const away = { kind: 'codex', label: 'Codex', installed: false, unavailableReason: 'There is no program at /x.' }
  expect(backendOptions([kilo, away] as BackendManifestEntry[])).toEqual([
    { value: 'kilo', label: 'Kilo', disabled: false },
    {
      value: 'codex',
      label: 'Codex — There is no program at /x.',
      disabled: true,
      title: 'There is no program at /x.',
    },
  ])
})

const levels = ['Low', 'High'].map((label) => ({ code: label.toLowerCase(), label }))
const thinkers = (models: ManifestChoice[]) => ({ models, thinkingOptions: levels })

describe('thinkingChoices', () => {
  it('shows what holds when nothing is set, and never a level that the program did not choose', () => {
    expect(thinkingChoices(thinkers([]), undefined, undefined)).toMatchObject({
      value: '',
      options: [{ label: 'Thinking: Default' }, {}, {}],
    })
    const [low, high] = levels as [ManifestChoice, ManifestChoice]
    const withDefault = { models: [], thinkingOptions: [low, { ...high, default: true }] }
    expect(thinkingChoices(withDefault, undefined, undefined)).toMatchObject({ value: 'high' })
    expect(thinkingChoices(thinkers([]), 'high', undefined)).toMatchObject({ value: 'high', options: [{}, {}] })
  })

  it('offers the levels that the model takes, and shows one that is set and does not fit as it is', () => {
    const models = [{ code: 'small', label: 'Small', thinking: ['low'] }]
    const { options } = thinkingChoices(thinkers(models), undefined, 'small')
    expect(options.map(({ value }) => value)).toEqual(['', 'low'])
    expect(thinkingChoices(thinkers(models), 'high', 'small')).toEqual({
      value: 'high',
      options: [
        { value: 'low', label: 'Thinking: Low' },
        { value: 'high', label: 'Thinking: high', disabled: true },
      ],
    })
  })
})

const program: Pick<BackendManifestEntry, 'modes' | 'sandboxes'> = {
  modes: [
    { code: 'ask', label: 'Ask' },
    { code: 'edits', label: 'Accept edits', sandboxes: ['workspace-write'] },
  ],
  sandboxes: ['read-only', 'workspace-write', 'full-access'],
}

describe('modes and sandboxes', () => {
  it('that exclude each other are shown, with the reason, and cannot be chosen together', () => {
    expect(modeOptions(program, 'ask', 'read-only')).toEqual([
      { value: 'ask', label: 'Ask' },
      { value: 'edits', label: 'Accept edits — not with “Read only”', disabled: true },
    ])
    expect(sandboxOptions(program, 'workspace-write', { mode: 'edits' })).toMatchObject([
      { value: 'read-only', label: 'Read only — not with “Accept edits”', disabled: true },
      { value: 'workspace-write', label: 'Write in folder' },
      { disabled: true },
    ])
  })

  it('[POL-1.3] above what the machine allows are not offered, whatever an older agent reports', () => {
    const values = sandboxOptions(program, 'read-only', { max: 'read-only' }).map(({ value }) => value)
    expect(values).toEqual(['read-only'])
  })

  it('that are set and no longer offered are shown as they are', () => {
    expect(choiceOptions([{ code: 'new', label: 'New' }], 'old')).toEqual([
      { value: 'new', label: 'New' },
      { value: 'old', label: 'old', disabled: true },
    ])
    expect(sandboxOptions(program, 'full-access', { max: 'read-only' }).at(-1)).toEqual({
      value: 'full-access',
      label: 'Full access',
      disabled: true,
    })
  })
})
