import { describe, expect, it } from 'vitest'
import { answerProblems } from '../adapter/check-answers'
import { AskForm, boundedForm, type FormField } from './form'
import { formOfSchema } from './form-of-schema'

const words = { from: 'billing', message: 'Who pays?' }
const of = (properties: unknown, more: object = {}) => formOfSchema({ type: 'object', properties, ...more }, words)

describe('a form of an MCP server', () => {
  it('[PERM-2] has a field for each property, with its words, rules and choices', () => {
    const form = of(
      {
        name: { type: 'string', title: 'Your name', description: 'As on the bill', minLength: 2, default: 'Ana' },
        mail: { type: 'string', format: 'email' },
        seats: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
        share: { type: 'number' },
        yearly: { type: 'boolean', default: true },
        plan: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 'l' },
        tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'Alpha' }, { const: 'b' }] }, maxItems: 1 },
      },
      { required: ['name', 'plan'] },
    )
    expect(AskForm.parse(form)).toEqual(form)
    expect(form).toEqual({
      ...words,
      fields: [
        {
          kind: 'text',
          name: 'name',
          label: 'Your name',
          about: 'As on the bill',
          required: true,
          minLength: 2,
          initial: 'Ana',
        },
        { kind: 'text', name: 'mail', label: 'mail', required: false, format: 'email' },
        { kind: 'number', name: 'seats', label: 'seats', required: false, integer: true, min: 1, max: 9, initial: 3 },
        { kind: 'number', name: 'share', label: 'share', required: false, integer: false },
        { kind: 'boolean', name: 'yearly', label: 'yearly', required: false, initial: true },
        {
          kind: 'choice',
          name: 'plan',
          label: 'plan',
          required: true,
          options: [
            { value: 's', label: 'Small' },
            { value: 'l', label: 'Large' },
          ],
          many: false,
          ownAnswer: false,
          initial: ['l'],
        },
        {
          kind: 'choice',
          name: 'tags',
          label: 'tags',
          required: false,
          options: [
            { value: 'a', label: 'Alpha' },
            { value: 'b', label: 'b' },
          ],
          many: true,
          ownAnswer: false,
          max: 1,
        },
      ],
    })
  })

  it.each([
    ['no schema', undefined],
    ['a list', []],
    ['another type', { type: 'string' }],
    ['fields that are a list', { properties: [] }],
    ['a field that is a text', { properties: { a: 'string' } }],
    ['a field of an unknown kind', { properties: { a: { type: 'object' } } }],
    ['a field without a kind', { properties: { a: {} } }],
    ['a choice of nothing', { properties: { a: { enum: [] } } }],
    ['a choice of numbers', { properties: { a: { enum: [1, 2] } } }],
    ['the same choice twice', { properties: { a: { enum: ['x', 'x'] } } }],
    ['a list of anything', { properties: { a: { type: 'array', items: { type: 'string' } } } }],
    ['bounds that nothing fits', { properties: { a: { type: 'number', minimum: 3, maximum: 2 } } }],
    ['a pattern that is a number', { properties: { a: { type: 'string', pattern: 3 } } }],
    ['a pattern that looks behind', { properties: { a: { type: 'string', pattern: '(?<=a)b' } } }],
    ['a bound that is a text', { properties: { a: { type: 'number', minimum: 'x' } } }],
    ['a field that is required and missing', { properties: {}, required: ['a'] }],
    ['a requirement that is a text', { properties: {}, required: 'a' }],
    ['a name without letters', { properties: { '': { type: 'string' } } }],
    ['a million fields', { properties: Object.fromEntries([...Array(101)].map((_, n) => [n, { type: 'string' }])) }],
    ['words without an end', { properties: { a: { type: 'string', description: 'x'.repeat(5_000) } } }],
  ])('[PERM-2] with %s says what is wrong, has a code and no field', (_what, schema) => {
    const form = formOfSchema(schema, words)
    expect(AskForm.parse(form)).toEqual(form)
    expect(form.fields).toEqual([])
    expect(form.problem).toEqual({
      code: 'FORM_UNREADABLE',
      message: expect.stringMatching(/^The form cannot be shown\. \S.*\.$/),
    })
    expect(form.from).toBe('billing')
  })

  it('two questions of one name cannot be told apart', () => {
    const field: FormField = { kind: 'text', name: 'a', label: 'A', required: true }
    expect(boundedForm({ fields: [field, field] }).problem?.code).toBe('FORM_UNREADABLE')
  })
})

describe('answers', () => {
  const form = of(
    {
      name: { type: 'string', minLength: 2 },
      seats: { type: 'integer', maximum: 9 },
      mail: { type: 'string', format: 'email' },
    },
    { required: ['name'] },
  )
  const problems = (answers: Parameters<typeof answerProblems>[1]) =>
    answerProblems(form, answers).map(({ name, message }) => `${name}: ${message}`)

  it('[PERM-2.17] fit their fields, or each that does not says why', () => {
    expect(problems({ name: 'Ana' })).toEqual([])
    expect(problems({ name: 'Ana', seats: 2, mail: 'ana@example.com' })).toEqual([])
    expect(problems({})).toEqual(['name: This needs an answer.'])
    expect(problems({ name: '  ', seats: 1.5, mail: 'ana' })).toEqual([
      'name: This needs an answer.',
      'seats: This takes a whole number.',
      'mail: This takes an e-mail address.',
    ])
    expect(problems({ name: 'A', seats: 10 })).toEqual([
      'name: This takes at least 2 characters.',
      'seats: This takes 9 or less.',
    ])
    expect(problems({ name: 'Ana', seats: 'two', mail: true })).toEqual([
      'seats: This takes a number.',
      'mail: This takes text.',
    ])
  })

  it('[PERM-2.14] fit the pattern of their field, also one that was made to hold up whoever checks it', () => {
    const field = of({ code: { type: 'string', pattern: '^([A-Z]+)+$', format: 'email' } }).fields[0]
    expect(field).toMatchObject({ kind: 'text', pattern: '^([A-Z]+)+$' })
    const said = (pattern: string, code: string) =>
      answerProblems({ fields: [{ kind: 'text', name: 'code', label: 'Code', required: true, pattern }] }, { code })
    expect(said('^([A-Z]+)+$', 'A'.repeat(5_000))).toEqual([])
    const message = 'This takes what fits the pattern ^([A-Z]+)+$'
    expect(said('^([A-Z]+)+$', `${'A'.repeat(5_000)}!`)).toEqual([{ name: 'code', message }])
    expect(said('(?<=a)b', 'ab')).toHaveLength(1)
  })

  const colours: FormField = {
    kind: 'choice',
    name: 'c',
    label: 'Which?',
    required: true,
    options: [
      { value: 'Red', label: 'Red' },
      { value: 'Blue', label: 'Blue' },
    ],
    many: false,
    ownAnswer: false,
  }
  it.each([
    ['one option', colours, 'Red', []],
    ['an option that is not there', colours, 'Green', ['This takes one of the options.']],
    ['two of one', colours, ['Red', 'Blue'], ['This takes one answer.']],
    ['two of many', { ...colours, many: true }, ['Red', 'Blue'], []],
    ['none of many', { ...colours, many: true }, [], ['This needs an answer.']],
    ['own words', { ...colours, ownAnswer: true }, 'Green', []],
    [
      'own words twice',
      { ...colours, many: true, ownAnswer: true },
      ['Green', 'Grey'],
      ['This takes one of the options.'],
    ],
    ['too many', { ...colours, many: true, max: 1 }, ['Red', 'Blue'], ['Choose at most 1.']],
  ] as const)('[PERM-2] a choice is answered by %s', (_what, field, answer, expected) => {
    const answers = { c: typeof answer === 'string' ? answer : [...answer] }
    expect(answerProblems({ fields: [field as FormField] }, answers).map(({ message }) => message)).toEqual(expected)
  })
})
