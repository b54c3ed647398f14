'use client'
import { late } from '../../ui/overlays/late'
import { formOf } from './decision/form-of-ask'
import type { RequestPromptProps } from './frame/request-frame'
import { PermissionPrompt } from './permission-prompt'

const QuestionPrompt = late(() => import('./questions/question-prompt').then((module) => module.QuestionPrompt))
const PlanPrompt = late(() => import('./plans/plan-prompt').then((module) => module.PlanPrompt))

/** Renders a request by its kind: a question to answer, a plan to approve, or an action to allow. */
export function RequestPrompt(props: RequestPromptProps) {
  const { ask } = props.request
  const form = formOf(ask)
  if (form) return <QuestionPrompt {...props} form={form} />
  if (ask.plan) return <PlanPrompt {...props} plan={ask.plan} />
  return <PermissionPrompt {...props} />
}
