/** What a client answers to a callback, and what that means for the program. Pure. */
import type { PermissionDecision } from '@roundhouse/backend-types'
import { z } from 'zod'

/** Members that are `null` count as absent: some languages write every member. */
export const PermissionAnswer = z.discriminatedUnion('behavior', [
  z.object({
    behavior: z.literal('allow'),
    updated_input: z.record(z.string(), z.unknown()).nullish(),
    updated_permissions: z.array(z.unknown()).nullish(),
  }),
  z.object({ behavior: z.literal('deny'), message: z.string().nullish(), interrupt: z.boolean().nullish() }),
])
export type PermissionAnswer = z.infer<typeof PermissionAnswer>

export const HookAnswer = z.record(z.string(), z.unknown())
export type HookAnswer = z.infer<typeof HookAnswer>

/** Without `updated_input` the tool runs as it was asked for: its input is never emptied. */
export function decisionOf(callId: string, answer: PermissionAnswer): PermissionDecision {
  if (answer.behavior === 'deny') {
    return { callId, decision: answer.interrupt ? 'abort' : 'deny', reason: answer.message ?? 'Denied' }
  }
  const { updated_input: updatedInput, updated_permissions: updatedPermissions } = answer
  return {
    callId,
    decision: 'allow',
    ...(updatedInput ? { updatedInput } : {}),
    ...(updatedPermissions && updatedPermissions.length > 0 ? { updatedPermissions } : {}),
  }
}

export const timedOut = (callId: string): PermissionDecision => ({
  callId,
  decision: 'deny',
  reason: 'Permission request timed out',
})

/** The session ends with it. */
export const terminated = (callId: string): PermissionDecision => ({
  callId,
  decision: 'deny',
  reason: 'Session terminated',
})

/** The policy of the machine forbids it, whatever the client says. */
export const forbidden = (callId: string, rule: string): PermissionDecision => ({
  callId,
  decision: 'deny',
  reason: `The policy of this machine forbids it (${rule}). Do not try it in another way.`,
})
