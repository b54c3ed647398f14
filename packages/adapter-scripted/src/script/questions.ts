/** The player's tools that ask a person for more than yes or no: a question, a form by its schema, a plan. Pure. */
import {
  type AnswerFields,
  type AskForm,
  boundedForm,
  type FormField,
  formOfSchema,
  type PermissionRequest,
  previewOf,
} from '@roundhouse/backend-types'
import { isRecord } from './script'

type Question = Pick<NonNullable<PermissionRequest['meta']>, 'answerFields' | 'form' | 'plan' | 'canSetMode'>

export function questionOf(tool: string, input: unknown): Question {
  const fields = isRecord(input) ? input : {}
  switch (tool) {
    case 'AskUserQuestion':
      return answersTo('answers', boundedForm({ fields: questionsOf(fields) }))
    case 'AskByForm':
      return answersTo('content', formOfSchema(fields.requestedSchema, { from: 'player', ...messageOf(fields) }))
    case 'ExitPlanMode':
      return {
        canSetMode: true,
        plan: { text: String(fields.plan ?? ''), modes: { ask: 'default', acceptEdits: 'acceptEdits' } },
      }
    default:
      return {}
  }
}

const messageOf = ({ message }: Record<string, unknown>) => (typeof message === 'string' ? { message } : {})

function answersTo(field: AnswerFields['field'], form: AskForm): Question {
  return { form, answerFields: { field, names: form.fields.map(({ name }) => name) } }
}

/** Their texts name the answers, as with Claude Code. */
function questionsOf({ questions }: Record<string, unknown>): FormField[] {
  return (Array.isArray(questions) ? questions : []).flatMap((one): FormField[] => {
    if (!isRecord(one) || typeof one.question !== 'string') return []
    const header = typeof one.header === 'string' ? { header: one.header } : {}
    const common = { name: one.question, label: one.question, ...header, required: true }
    const options = (Array.isArray(one.options) ? one.options : []).filter(isRecord).map((option) => ({
      value: String(option.label),
      label: String(option.label),
      ...(typeof option.description === 'string' ? { about: option.description } : {}),
      ...previewOf(typeof option.preview === 'string' ? option.preview : undefined),
    }))
    const secret = one.isSecret === true ? { secret: true } : {}
    if (options.length === 0) return [{ kind: 'text', ...common, ...secret }]
    return [{ kind: 'choice', ...common, options, many: one.multiSelect === true, ownAnswer: true }]
  })
}
