import type { AskForm, PermissionAsk } from '@roundhouse/backend-types'

/** The form of a request. An agent that does not describe its questions yet gives one text field for each. */
export function formOf({ form, answerFields }: PermissionAsk): AskForm | undefined {
  if (form) return form
  return (
    answerFields && { fields: answerFields.names.map((name) => ({ kind: 'text', name, label: name, required: true })) }
  )
}
