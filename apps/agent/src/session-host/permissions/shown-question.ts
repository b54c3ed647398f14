/**
 * What a question, a form or a plan shows beside its input (PERM-2): the adapter's description without secrets and
 * without options that this machine would refuse.
 */
import {
  type AnswerFields,
  AskForm,
  AskPlan,
  type PermissionAsk,
  type PermissionRequest,
  unreadableForm,
  withFittingPreviews,
} from '@roundhouse/backend-types'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'

export interface QuestionSurroundings {
  redact: Redactor
  mayMode(mode: string): boolean
}

export function shownQuestion(
  request: PermissionRequest,
  answerFields: AnswerFields | undefined,
  around: QuestionSurroundings,
): Pick<PermissionAsk, 'form' | 'plan'> {
  const form = AskForm.safeParse(request.meta?.form)
  const plan = AskPlan.safeParse(request.meta?.plan)
  return {
    ...(form.success ? { form: shownForm(form.data, answerFields, around.redact) } : {}),
    ...(plan.success ? { plan: shownPlan(plan.data, around) } : {}),
  }
}

/** A partly hidden name or option could not be sent back. */
function shownForm(form: AskForm, answerFields: AnswerFields | undefined, redact: Redactor): AskForm {
  const sent = form.fields.flatMap((field) => [
    field.name,
    ...(field.kind === 'choice' ? field.options.map(({ value }) => value) : []),
  ])
  const isHidden = sent.some((text) => redact(text).text !== text)
  const isForeign = form.fields.some(({ name }) => !answerFields?.names.includes(name))
  if (isHidden || isForeign) return unreadableForm('It holds a secret, which is shown to nobody.', form)
  return withFittingPreviews(cleanValue(form, redact).value as AskForm)
}

function shownPlan({ text, modes = {} }: AskPlan, { redact, mayMode }: QuestionSurroundings): AskPlan {
  const offered = Object.entries(modes).filter(([, mode]) => mode !== undefined && mayMode(mode))
  return { text: redact(text).text.slice(0, 60_000), modes: Object.fromEntries(offered) }
}
