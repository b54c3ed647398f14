/** `request_user_input` as a form, and a person's answers as Codex's own terminal writes them. Pure. */

import { asList, asRecord, asText, asTexts, type Json } from '@roundhouse/adapter-kit/read'
import { type AskForm, boundedForm, type FormField } from '@roundhouse/backend-types'

/** The terminal's words for an answer that is none of the options; the answer itself follows as a note. */
const NONE_OF_THEM = 'None of the above'
const note = (text: string) => `user_note: ${text}`

export function questionForm(questions: readonly unknown[]): AskForm {
  return boundedForm({ fields: questions.flatMap((question) => fieldOf(asRecord(question)) ?? []) })
}

function fieldOf(question: Json): FormField | undefined {
  const name = asText(question.id)
  if (name === undefined) return undefined
  const header = asText(question.header)
  const common = { name, label: asText(question.question) ?? name, ...(header ? { header } : {}), required: true }
  const options = labelsOf(question).map(([label, about]) => ({ value: label, label, ...(about ? { about } : {}) }))
  if (options.length === 0) return { kind: 'text', ...common, ...(question.isSecret === true ? { secret: true } : {}) }
  return { kind: 'choice', ...common, options, many: false, ownAnswer: question.isOther === true }
}

function labelsOf(question: Json): Array<[label: string, about: string | undefined]> {
  return asList(question.options).flatMap((option) => {
    const label = asText(asRecord(option).label)
    return label === undefined ? [] : [[label, asText(asRecord(option).description)]]
  })
}

/** From the input with a person's answers, by the id of each question. */
export function answersOf(updatedInput: Json): Json {
  const questions = asList(updatedInput.questions).map(asRecord)
  const entries = Object.entries(asRecord(updatedInput.answers)).map(([id, answer]) => {
    const text = asText(answer)
    const question = questions.find((one) => one.id === id)
    return [id, { answers: (text === undefined ? asTexts(answer) : [text]).flatMap((one) => written(question, one)) }]
  })
  return Object.fromEntries(entries)
}

function written(question: Json | undefined, answer: string): string[] {
  const labels = labelsOf(question ?? {}).map(([label]) => label)
  if (labels.includes(answer) || !question) return [answer]
  return labels.length > 0 ? [NONE_OF_THEM, note(answer)] : [note(answer)]
}
