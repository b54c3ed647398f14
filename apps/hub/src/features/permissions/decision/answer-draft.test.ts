import type { AskForm, FormField } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import {
  type AnswerDraft,
  answersOf,
  choose,
  draftOf,
  draftText,
  fieldDraft,
  nextField,
  optionOfKey,
  problemsOf,
  withoutSecrets,
} from './answer-draft'
import { formOf } from './form-of-ask'

const common = { required: true }
const options = [
  { value: 'Red', label: 'Red' },
  { value: 'Blue', label: 'Blue' },
]
const colour: FormField = {
  kind: 'choice',
  name: 'c',
  label: 'Which?',
  ...common,
  options,
  many: false,
  ownAnswer: true,
}
const sizes: FormField = { ...colour, name: 's', many: true, ownAnswer: false }
const key: FormField = { kind: 'text', name: 'k', label: 'Key?', ...common, secret: true }
const count: FormField = { kind: 'number', name: 'n', label: 'How many?', required: false, integer: true, initial: 3 }
const sure: FormField = { kind: 'boolean', name: 'b', label: 'Sure?', ...common }
const form: AskForm = { fields: [colour, sizes, key, count, sure] }

function filled(steps: Array<[FormField, string | null]>, texts: Record<string, string> = {}): AnswerDraft {
  let draft = draftOf(form)
  for (const [field, value] of steps) draft = { ...draft, [field.name]: choose(field, fieldDraft(draft, field), value) }
  for (const [name, text] of Object.entries(texts)) draft = { ...draft, [name]: { ...draft[name]!, text } }
  return draft
}

describe('a half-filled answer', () => {
  it('[PERM-2] becomes one value for each field that has one', () => {
    const draft = filled(
      [
        [colour, 'Red'],
        [sizes, 'Red'],
        [sizes, 'Blue'],
        [sure, 'false'],
      ],
      { k: ' s3cret ' },
    )
    expect(answersOf(form, draft)).toEqual({ c: 'Red', s: ['Red', 'Blue'], k: ' s3cret ', n: 3, b: false })
    expect(problemsOf(form, draft).size).toBe(0)
  })

  it('[PERM-2] takes own words instead of an option, and an option instead of own words', () => {
    const own = filled(
      [
        [colour, 'Red'],
        [colour, null],
      ],
      { c: ' Rust ' },
    )
    expect(answersOf(form, own)).toMatchObject({ c: 'Rust' })
    expect(
      answersOf(
        form,
        filled(
          [
            [colour, null],
            [colour, 'Blue'],
          ],
          { c: 'Rust' },
        ),
      ),
    ).toMatchObject({ c: 'Blue' })
    expect(problemsOf(form, filled([[colour, null]])).get('c')).toBe('This needs an answer.')
  })

  it('takes a choice back where several can be chosen', () => {
    expect(
      answersOf(
        form,
        filled([
          [sizes, 'Red'],
          [sizes, 'Blue'],
          [sizes, 'Red'],
        ]),
      ),
    ).toMatchObject({ s: ['Blue'] })
  })

  it('a number that is none is sent to nobody', () => {
    expect(problemsOf(form, filled([], { n: 'three' })).get('n')).toBe('This takes a number.')
  })

  it('leads to the next field that needs something, around the end', () => {
    expect(nextField(form, filled([[colour, 'Red']]), 'c')?.name).toBe('s')
    expect(nextField(form, filled([[sure, 'true']]), 'b')?.name).toBe('c')
  })

  it('keys stand for options, the one after them for own words', () => {
    expect(['1', '2', '3', '4', '0', 'x'].map((one) => optionOfKey(colour, one))).toEqual([
      'Red',
      'Blue',
      null,
      undefined,
      undefined,
      undefined,
    ])
    expect(['1', '2', '3'].map((one) => optionOfKey(sure, one))).toEqual(['true', 'false', undefined])
    expect(optionOfKey(key, '1')).toBeUndefined()
  })

  it('is kept and copied without what is secret', () => {
    const draft = filled([[colour, 'Red']], { k: 's3cret' })
    expect(withoutSecrets(form, draft)).not.toHaveProperty('k')
    expect(draftText(form, draft)).toBe('c Red\nn 3')
  })
})

it('an agent that does not describe its questions gets a text field for each', () => {
  const ask = { answerFields: { field: 'answers', names: ['Which?'] } } as never
  expect(formOf(ask)?.fields).toEqual([{ kind: 'text', name: 'Which?', label: 'Which?', required: true }])
  expect(formOf({} as never)).toBeUndefined()
})
