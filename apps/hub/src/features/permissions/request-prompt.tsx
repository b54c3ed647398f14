'use client'
import { formOf } from './answer-draft'
import { PermissionPrompt } from './permission-prompt'
import { PlanPrompt } from './plan-prompt'
import { QuestionPrompt } from './question-prompt'
import type { RequestPromptProps } from './request-frame'

/** A request as what it is: a question to answer, a plan to approve, or an action to allow. */
export function RequestPrompt(props: RequestPromptProps) {
  const { ask } = props.request
  const form = formOf(ask)
  if (form) return <QuestionPrompt {...props} form={form} />
  if (ask.plan) return <PlanPrompt {...props} plan={ask.plan} />
  return <PermissionPrompt {...props} />
}
