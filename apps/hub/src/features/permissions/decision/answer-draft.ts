/** What a person has filled into a question so far, and the answers that result. Pure. */
import { type Answers, type AskForm, answerProblems, type FormField, type FormOption } from '@roundhouse/backend-types'

export interface FieldDraft {
  /** Values of the options that are chosen. */
  chosen: string[]
  /** The person wrote an answer, in addition to the options or instead of them. */
  own: boolean
  /** That answer, or the text of a field without options. */
  text: string
}

export type AnswerDraft = Readonly<Record<string, FieldDraft>>

const empty: FieldDraft = { chosen: [], own: false, text: '' }

export function draftOf(form: AskForm): AnswerDraft {
  return Object.fromEntries(form.fields.map((field) => [field.name, { ...empty, ...initialOf(field) }]))
}

function initialOf(field: FormField): Partial<FieldDraft> {
  if (field.initial === undefined) return {}
  switch (field.kind) {
    case 'choice':
      return { chosen: field.initial }
    case 'boolean':
      return { chosen: [String(field.initial)] }
    case 'text':
    case 'number':
      return { text: String(field.initial) }
  }
}

export const fieldDraft = (draft: AnswerDraft, { name }: FormField): FieldDraft => draft[name] ?? empty

const yesOrNo: FormOption[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** Undefined for a text field. */
export function optionsOf(field: FormField): readonly FormOption[] | undefined {
  return field.kind === 'choice' ? field.options : field.kind === 'boolean' ? yesOrNo : undefined
}

export const takesMany = (field: FormField) => field.kind === 'choice' && field.many
export const takesOwn = (field: FormField) => field.kind === 'choice' && field.ownAnswer

/** Chooses an option, or removes it if several can be chosen. `null`: the person's own answer. */
export function choose(field: FormField, before: FieldDraft, value: string | null): FieldDraft {
  if (value === null) return takesMany(field) ? { ...before, own: !before.own } : { ...before, chosen: [], own: true }
  if (!takesMany(field)) return { ...before, chosen: [value], own: false }
  const isChosen = before.chosen.includes(value)
  return { ...before, chosen: isChosen ? before.chosen.filter((one) => one !== value) : [...before.chosen, value] }
}

/** What the key `1` to `9` selects in this field: an option, `null` for the person's own answer, or nothing. */
export function optionOfKey(field: FormField, key: string): string | null | undefined {
  const options = optionsOf(field)
  if (!options || !/^[1-9]$/.test(key)) return undefined
  const at = Number(key) - 1
  return at === options.length && takesOwn(field) ? null : options[at]?.value
}

export function answersOf(form: AskForm, draft: AnswerDraft): Answers {
  const entries = form.fields.flatMap((field) => {
    const answer = answerOf(field, fieldDraft(draft, field))
    return answer === undefined ? [] : [[field.name, answer] as const]
  })
  return Object.fromEntries(entries)
}

function answerOf(field: FormField, { chosen, own, text }: FieldDraft): Answers[string] | undefined {
  const written = text.trim()
  switch (field.kind) {
    case 'choice': {
      const all = [...chosen, ...(own && written !== '' ? [written] : [])]
      return all.length === 0 ? undefined : field.many ? all : all[0]
    }
    case 'boolean':
      return chosen[0] === undefined ? undefined : chosen[0] === 'true'
    case 'number':
      return written === '' ? undefined : Number.isNaN(Number(written)) ? written : Number(written)
    case 'text':
      if (written === '') return undefined
      return field.format === 'date-time' ? momentOf(written) : field.secret ? text : written
  }
}

/** A local date and time as a moment. */
function momentOf(local: string): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

/** What is wrong with each field, by its name. */
export function problemsOf(form: AskForm, draft: AnswerDraft): ReadonlyMap<string, string> {
  return new Map(answerProblems(form, answersOf(form, draft)).map(({ name, message }) => [name, message]))
}

/** The next field that needs something, after the one just filled in if there is one. */
export function nextField(form: AskForm, draft: AnswerDraft, after?: string): FormField | undefined {
  const problems = problemsOf(form, draft)
  const from = form.fields.findIndex(({ name }) => name === after) + 1
  const order = [...form.fields.slice(from), ...form.fields.slice(0, from)]
  return order.find(({ name }) => problems.has(name))
}

/** The draft as lines to copy, without secret fields. */
export function draftText(form: AskForm, draft: AnswerDraft): string {
  const secret = new Set(form.fields.flatMap((field) => (field.kind === 'text' && field.secret ? [field.name] : [])))
  return Object.entries(answersOf(form, draft))
    .filter(([name]) => !secret.has(name))
    .map(([name, answer]) => `${name} ${Array.isArray(answer) ? answer.join(', ') : String(answer)}`)
    .join('\n')
}

export function withoutSecrets(form: AskForm, draft: AnswerDraft): AnswerDraft {
  const kept = form.fields.filter((field) => !(field.kind === 'text' && field.secret))
  return Object.fromEntries(kept.map((field) => [field.name, fieldDraft(draft, field)]))
}
