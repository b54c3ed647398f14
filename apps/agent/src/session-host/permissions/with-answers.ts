/**
 * Adds a person's answers to the input of a question or a form (PERM-2). The answers fill the one field that the
 * adapter names and change nothing else, so they cannot choose what runs.
 */
import {
  AnswerFields,
  type Answers,
  CodedError,
  isRecord,
  type PermissionAsk,
  type PermissionRequest,
} from '@roundhouse/backend-types'
import type { Redactor } from '../../redact/redactor'

/** The adapter's fields for answers. Absent for other requests, and if a name contains a secret and cannot be shown. */
export function answerFieldsOf(request: PermissionRequest, redact: Redactor): AnswerFields | undefined {
  const offered = AnswerFields.safeParse(request.meta?.answerFields)
  if (!offered.success || !isRecord(request.input)) return undefined
  return offered.data.names.every((name) => redact(name).text === name) ? offered.data : undefined
}

/** Throws `EDIT_NOT_ALLOWED` if the request takes no answers, or has no such question. */
export function withAnswers(
  open: { ask: { answerFields?: AnswerFields | undefined }; request: PermissionRequest },
  answers: Answers,
): unknown {
  const { answerFields } = open.ask
  const { input } = open.request
  if (!answerFields || !isRecord(input)) throw new CodedError('EDIT_NOT_ALLOWED', 'This request takes no answers.')
  const unknown = Object.keys(answers).find((name) => !answerFields.names.includes(name))
  if (unknown !== undefined) throw new CodedError('EDIT_NOT_ALLOWED', 'There is no such question.', { name: unknown })
  return { ...input, [answerFields.field]: answers }
}

/** The same input for other readers: answers to `secret` fields stay hidden. */
export function withoutSecretAnswers(
  input: unknown,
  { form, answerFields }: Pick<PermissionAsk, 'form' | 'answerFields'>,
) {
  const given = answerFields && isRecord(input) ? input[answerFields.field] : undefined
  if (!answerFields || !isRecord(input) || !isRecord(given)) return input
  const secret = new Set((form?.fields ?? []).flatMap((one) => (one.kind === 'text' && one.secret ? [one.name] : [])))
  const shown = Object.entries(given).map(([name, answer]) => [name, secret.has(name) ? '[redacted:answer]' : answer])
  return { ...input, [answerFields.field]: Object.fromEntries(shown) }
}
