/**
 * Answers to what a program asks. The contract has no event that waits for a person: the patterns of the `Spec` decide first,
 * then whoever the embedding program names, and nobody's answer is a denial.
 */
import type { PermissionDecision, PermissionRequest } from '@roundhouse/backend-types'
import type { PermissionConfig } from '../contract/permission-config'
import type { Spec } from '../contract/spec'

export type Answer = Omit<PermissionDecision, 'callId'>

export interface Answerers {
  /** Decides by patterns, before anybody is asked. Absent: no session may bring any. */
  judge?(request: PermissionRequest, config: PermissionConfig): 'allow' | 'deny' | 'prompt'
  /** A person. Not asked in an autonomous session. */
  ask?(request: PermissionRequest): Promise<Answer>
}

export async function answerTo(request: PermissionRequest, spec: Spec, answerers: Answerers): Promise<Answer> {
  const judged = (spec.permissionConfig && answerers.judge?.(request, spec.permissionConfig)) ?? 'prompt'
  if (judged === 'allow') return { decision: 'allow' }
  if (judged === 'deny') return { decision: 'deny', reason: 'The rules of this session deny it.' }
  if (spec.autonomous || !answerers.ask) return { decision: 'deny', reason: 'Nobody is here to allow it.' }
  return answerers.ask(request)
}
