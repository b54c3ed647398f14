/** Checks that answers fit their form: the page before it sends them, the hub when they arrive. Pure. */

import type { AskForm, FormField, FormFieldOf } from '../forms/form'
import { isFound, type PatternWork, patternWork, safePattern } from '../forms/safe-pattern'
import type { Answers } from './permission-request'

type Answer = Answers[string]

export interface AnswerProblem {
  name: string
  /** For people, about this one field. */
  message: string
}

export function answerProblems(form: AskForm, answers: Answers): AnswerProblem[] {
  const work = patternWork()
  return form.fields.flatMap((field) => {
    const answer = Object.hasOwn(answers, field.name) ? answers[field.name] : undefined
    const message = problemOf(field, answer, work)
    return message === undefined ? [] : [{ name: field.name, message }]
  })
}

function problemOf(field: FormField, answer: Answer | undefined, work: PatternWork): string | undefined {
  if (answer === undefined || isEmpty(answer)) return field.required ? 'This needs an answer.' : undefined
  switch (field.kind) {
    case 'choice':
      return choiceProblem(field, answer)
    case 'text':
      return typeof answer === 'string' ? textProblem(field, answer, work) : 'This takes text.'
    case 'number':
      return typeof answer === 'number' && Number.isFinite(answer)
        ? numberProblem(field, answer)
        : 'This takes a number.'
    case 'boolean':
      return typeof answer === 'boolean' ? undefined : 'This takes yes or no.'
  }
}

const isEmpty = (answer: Answer) =>
  typeof answer === 'string' ? answer.trim() === '' : Array.isArray(answer) && answer.every((one) => one.trim() === '')

function choiceProblem(field: FormFieldOf<'choice'>, answer: Answer): string | undefined {
  const chosen = typeof answer === 'string' ? [answer] : Array.isArray(answer) ? answer : undefined
  if (!chosen) return 'This takes one of the options.'
  if (!field.many && chosen.length > 1) return 'This takes one answer.'
  const own = chosen.filter((value) => !field.options.some((option) => option.value === value))
  if (own.length > (field.ownAnswer ? 1 : 0)) return 'This takes one of the options.'
  if (field.min !== undefined && chosen.length < field.min) return `Choose at least ${field.min}.`
  if (field.max !== undefined && chosen.length > field.max) return `Choose at most ${field.max}.`
  return undefined
}

const formats: Record<
  NonNullable<FormFieldOf<'text'>['format']>,
  [fits: (text: string) => boolean, message: string]
> = {
  email: [(text) => /^[^\s@]+@[^\s@]+$/.test(text), 'This takes an e-mail address.'],
  uri: [(text) => URL.canParse(text), 'This takes a complete address, such as https://example.com.'],
  date: [(text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), 'This takes a date.'],
  'date-time': [
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
    'This takes a date and a time.',
  ],
}

function textProblem(
  { format, minLength, maxLength, pattern }: FormFieldOf<'text'>,
  text: string,
  work: PatternWork,
): string | undefined {
  const length = [...text].length
  if (minLength !== undefined && length < minLength) return `This takes at least ${minLength} characters.`
  if (maxLength !== undefined && length > maxLength) return `This takes at most ${maxLength} characters.`
  const [fits, message] = format === undefined ? [] : formats[format]
  if (fits && !fits(text)) return message
  return pattern === undefined ? undefined : patternProblem(pattern, text, work)
}

/** A form of another host may bring a pattern that cannot be checked here: nothing fits it. */
function patternProblem(source: string, text: string, work: PatternWork): string | undefined {
  const pattern = safePattern(source)
  const found = pattern !== null && isFound(pattern, text, work)
  if (found === null) return 'The pattern of this form is too much work to check. Shorten the text, or decline.'
  return found ? undefined : `This takes what fits the pattern ${source}`
}

function numberProblem({ integer, min, max }: FormFieldOf<'number'>, value: number): string | undefined {
  if (integer && !Number.isInteger(value)) return 'This takes a whole number.'
  if (min !== undefined && value < min) return `This takes ${min} or more.`
  if (max !== undefined && value > max) return `This takes ${max} or less.`
  return undefined
}
