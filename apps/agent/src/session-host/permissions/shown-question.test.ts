import type { AskForm } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../redact/redactor'
import { shownQuestion } from './shown-question'

const secret = 'a-very-secret-token-value'
const around = { redact: createRedactor([secret]), mayMode: (mode: string) => mode !== 'acceptEdits' }
const asked = (meta: Record<string, unknown>) => ({ callId: 'c', toolName: 'x', input: {}, meta })
const field = { kind: 'text', name: 'name', label: 'Your name?', required: true } as const
const answerFields = { field: 'content', names: ['name'] } as const

describe('what is shown of a question', () => {
  it('[PERM-2] is what the adapter describes, without secrets in its words', () => {
    const form: AskForm = { message: `Is ${secret} right?`, fields: [field] }
    const shown = shownQuestion(asked({ form }), { ...answerFields, names: ['name'] }, around)
    expect(shown.form?.fields).toEqual([field])
    expect(shown.form?.message).not.toContain(secret)
  })

  it.each([
    [
      'an option that is a secret',
      { ...field, kind: 'choice', many: false, ownAnswer: false, options: [{ value: secret, label: 'Key' }] },
    ],
    ['a name that no answer may have', { ...field, name: 'other' }],
  ])('[PERM-2.19] is a form that can only be refused for %s', (_what, one) => {
    const { form } = shownQuestion(asked({ form: { fields: [one] } }), { ...answerFields, names: ['name'] }, around)
    expect(form).toMatchObject({ fields: [], problem: { code: 'FORM_UNREADABLE' } })
  })

  it('[PERM-2.13] a preview loses its secrets before it is cut, so that no part of one is shown', () => {
    const text = `${'x'.repeat(7_990)}${secret}${'y'.repeat(40_000)}`
    const options = [{ value: 'a', label: 'A', preview: { text } }]
    const form = { fields: [{ ...field, kind: 'choice', many: false, ownAnswer: false, options }] }
    const shown = JSON.stringify(shownQuestion(asked({ form }), { ...answerFields, names: ['name'] }, around).form)
    expect(shown).toContain('"omitted"')
    expect(shown).not.toContain(secret.slice(0, 5))
  })

  it('[PERM-2.10] a plan offers only modes that this machine allows', () => {
    const plan = { text: '# Plan', modes: { ask: 'default', acceptEdits: 'acceptEdits' } }
    expect(shownQuestion(asked({ plan }), undefined, around).plan).toEqual({
      text: '# Plan',
      modes: { ask: 'default' },
    })
  })

  it('what is no form is left out', () => {
    expect(shownQuestion(asked({ form: { fields: 'x' }, plan: 3 }), undefined, around)).toEqual({})
  })
})
