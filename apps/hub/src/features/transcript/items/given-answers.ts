/** A person's answers to a question or a form, with the question's own words. Pure. */
import type { AskForm, FormField } from '@roundhouse/backend-types'

/** What the log holds of it. `form` is absent if the question is on an older page. */
export interface Answered {
  form?: AskForm | undefined
  input: unknown
}

export interface GivenAnswer {
  name: string
  question: string
  answer: string
}

type Fields = Record<string, unknown>

export function givenAnswers({ form, input }: Answered): GivenAnswer[] {
  const { answers, content, questions } = fieldsOf(input)
  const given = fieldsOf(answers ?? content)
  return Object.entries(given).map(([name, value]) => {
    const field = form?.fields.find((one) => one.name === name)
    return { name, question: field?.label ?? questionOf(questions, name), answer: answerWords(field, value) }
  })
}

/** A program names a question by its id or by its text. */
function questionOf(questions: unknown, name: string): string {
  const all = Array.isArray(questions) ? questions.map(fieldsOf) : []
  const asked = all.find(({ id }) => id === name)?.question
  return typeof asked === 'string' ? asked : name
}

function answerWords(field: FormField | undefined, value: unknown): string {
  if (field?.kind === 'text' && field.secret) return 'hidden'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  const values = (Array.isArray(value) ? value : [value]).map(String)
  const labelOf = (one: string) =>
    (field?.kind === 'choice' && field.options.find((option) => option.value === one)?.label) || one
  return values.map(labelOf).join(', ')
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
