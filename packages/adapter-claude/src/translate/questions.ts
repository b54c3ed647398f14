/**
 * What Claude Code asks beside permissions: questions of the model (`AskUserQuestion`), forms of MCP servers
 * (`elicitation`), and plans to approve (`ExitPlanMode`). Pure.
 */
import {
  type AskForm,
  type AskPlan,
  boundedForm,
  type FormField,
  formOfSchema,
  previewOf,
} from '@roundhouse/backend-types'
import { asRecord, type Frame, recordAt, recordsAt, textAt } from '../wire/frames'

/** The answers go by the text of each question. */
export function questionForm(input: Frame | undefined): AskForm {
  const fields = recordsAt(input, 'questions').flatMap((question) => fieldOf(question) ?? [])
  return boundedForm({ fields })
}

function fieldOf(question: Frame): FormField | undefined {
  const name = textAt(question, 'question')
  if (name === undefined) return undefined
  const header = textAt(question, 'header')
  const common = { name, label: name, ...(header ? { header } : {}), required: true }
  const options = recordsAt(question, 'options').flatMap((option) => {
    const label = textAt(option, 'label')
    const about = textAt(option, 'description')
    if (label === undefined) return []
    return [{ value: label, label, ...(about ? { about } : {}), ...previewOf(textAt(option, 'preview')) }]
  })
  if (options.length === 0) return { kind: 'text', ...common }
  return { kind: 'choice', ...common, options, many: question.multiSelect === true, ownAnswer: true }
}

/**
 * A person's answers as the CLI's own terminal sends them: one text for each question, several choices joined in it, and
 * beside the answers the preview of an option that was chosen, which the model reads again.
 */
export function withTerminalAnswers(input: unknown): unknown {
  const answers = recordAt(asRecord(input), 'answers')
  if (!answers) return input
  const joined = Object.entries(answers).map(([name, answer]) => [
    name,
    Array.isArray(answer) ? answer.map(quoted).join(', ') : answer,
  ])
  const annotations = recordsAt(asRecord(input), 'questions').flatMap((question) => annotationOf(question, answers))
  return {
    ...asRecord(input),
    answers: Object.fromEntries(joined),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  }
}

function annotationOf(question: Frame, answers: Frame): Array<[name: string, annotation: { preview: string }]> {
  const name = textAt(question, 'question')
  if (name === undefined || question.multiSelect === true) return []
  const answer = [answers[name]].flat()[0]
  const chosen = recordsAt(question, 'options').find((option) => textAt(option, 'label') === answer)
  const preview = textAt(chosen, 'preview')
  return preview ? [[name, { preview }]] : []
}

function quoted(choice: unknown): string {
  const text = String(choice)
  return text.includes(', ') || text.includes('"') ? JSON.stringify(text) : text
}

/** The form of an MCP server, or the page that it wants opened. */
export function elicitationForm(request: Frame | undefined): AskForm {
  const message = textAt(request, 'message')
  const words = { from: textAt(request, 'mcp_server_name') ?? 'server', ...(message ? { message } : {}) }
  const url = textAt(request, 'url')
  if (textAt(request, 'mode') === 'url' && url !== undefined) return boundedForm({ ...words, url, fields: [] })
  return formOfSchema(request?.requested_schema, words)
}

/** The request may leave out what the call itself said. One that is too long to be shown whole is shown as any input. */
export function planOf(input: Frame | undefined, called: Frame | undefined): AskPlan | undefined {
  const text = textAt(input, 'plan') ?? textAt(called, 'plan') ?? ''
  return text.length > 60_000 ? undefined : { text, modes: { ask: 'default', acceptEdits: 'acceptEdits' } }
}
