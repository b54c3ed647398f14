'use client'
import { late } from '../../ui/late'
import { formOf } from './form-of-ask'
import { PermissionPrompt } from './permission-prompt'
import type { RequestPromptProps } from './request-frame'

const QuestionPrompt = late(() => import('./question-prompt').then((module) => module.QuestionPrompt))
const PlanPrompt = late(() => import('./plan-prompt').then((module) => module.PlanPrompt))

/** A request as what it is: a question to answer, a plan to approve, or an action to allow. */
export function RequestPrompt(props: RequestPromptProps) {
  const { ask } = props.request
  const form = formOf(ask)
  if (form) return <QuestionPrompt {...props} form={form} />
  if (ask.plan) return <PlanPrompt {...props} plan={ask.plan} />
  return <PermissionPrompt {...props} />
}
