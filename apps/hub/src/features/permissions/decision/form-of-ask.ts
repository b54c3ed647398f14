import type { AskForm, PermissionAsk } from '@roundhouse/backend-types'

/** The form of a request. For an agent that does not describe its questions, each question is one text field. */
export function formOf({ form, answerFields }: PermissionAsk): AskForm | undefined {
  if (form) return form
  return (
    answerFields && { fields: answerFields.names.map((name) => ({ kind: 'text', name, label: name, required: true })) }
  )
}
