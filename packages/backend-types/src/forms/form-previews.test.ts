import { describe, expect, it } from 'vitest'
import { AskForm, boundedForm, type FormOption } from './form'
import { previewOf, withFittingPreviews } from './form-previews'

const option = (n: number, preview: string): FormOption => ({
  value: `o${n}`,
  label: `Option ${n}`,
  ...previewOf(preview),
})
const formOf = (options: FormOption[]): AskForm => ({
  fields: [{ kind: 'choice', name: 'q', label: 'Which?', required: true, options, many: false, ownAnswer: true }],
})
const previewsIn = (form: AskForm) =>
  form.fields.flatMap((field) => (field.kind === 'choice' ? field.options.map(({ preview }) => preview) : []))

describe('the previews of options', () => {
  it('[PERM-2.13] go along whole where they fit', () => {
    const form = formOf([option(1, '+--+\n|  |\n+--+'), option(2, 'one line')])
    expect(withFittingPreviews(boundedForm(form))).toEqual(form)
  })

  it('[PERM-2.13] that are too long are cut behind a line, and say how much is left out; the form is not refused', () => {
    const long = 'twenty characters..\n'.repeat(3_000)
    const form = boundedForm(formOf([option(1, long), option(2, long), option(3, 'short'), option(4, '')]))
    expect(form.problem).toBeUndefined()
    const [first, second, third, fourth] = previewsIn(withFittingPreviews(form))
    expect(first).toEqual({ text: 'twenty characters..\n'.repeat(400), omitted: long.length - 8_000 })
    expect(second).toEqual(first)
    expect([third, fourth]).toEqual([{ text: 'short' }, undefined])
  })

  it.each([
    ['a hundred options', Array.from({ length: 100 }, (_, n) => option(n, 'x'.repeat(5_000)))],
    ['an endless preview', [option(1, 'x'.repeat(3_000_000))]],
    ['characters that take two units', [option(1, '\u{1F600}'.repeat(9_000))]],
    ['characters that JSON writes longer', [option(1, '\u0001'.repeat(9_000))]],
  ])('[PERM-2] of %s leave a form that fits', (_what, options) => {
    const form = withFittingPreviews(boundedForm(formOf(options)))
    expect(AskForm.parse(form)).toEqual(form)
    expect(form.problem).toBeUndefined()
    expect(JSON.stringify(form).length).toBeLessThanOrEqual(40_000)
    expect(JSON.stringify(form)).not.toMatch(/\\ud83d"/)
    for (const [n, preview] of previewsIn(form).entries())
      expect((preview?.text.length ?? 0) + (preview?.omitted ?? 0)).toBe(
        options[n]?.preview ? options[n].preview.text.length + (options[n].preview.omitted ?? 0) : 0,
      )
  })
})
