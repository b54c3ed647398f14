/**
 * Hooks of a client, and the policy of the machine. A hook may allow a call, or change its input, without anybody being asked
 * about it. What the policy forbids by name is refused in its place, before and after the client has answered.
 */
import type { HookCall } from '@roundhouse/backend-types'
import type { HookAnswer } from '../messages/callback-answers'
import { type AskPlace, ruleAgainst } from './ask-rules'

type Fields = Record<string, unknown>

/** The hooks by which a call can be allowed. */
const deciding = ['PreToolUse', 'PermissionRequest'] as const
type Deciding = (typeof deciding)[number]

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** The refusal of the policy; null where the client is asked. */
export function refusedHook({ event, input }: Pick<HookCall, 'event' | 'input'>, place: AskPlace): HookAnswer | null {
  const decides = deciding.find((name) => name === event)
  const { tool_name, tool_input } = fieldsOf(input)
  if (!decides || typeof tool_name !== 'string') return null
  const rule = ruleAgainst(tool_name, tool_input, place)
  return rule === null ? null : refusalBy(decides, rule)
}

/** The client's answer, or the refusal of what it has made of the call. */
export function checkedAnswer(
  { event, input }: Pick<HookCall, 'event' | 'input'>,
  answer: HookAnswer,
  place: AskPlace,
): HookAnswer {
  const decides = deciding.find((name) => name === event)
  const changed = decides && changedInput(decides, answer)
  const { tool_name } = fieldsOf(input)
  if (!decides || changed === undefined || typeof tool_name !== 'string') return answer
  const rule = ruleAgainst(tool_name, changed, place)
  return rule === null ? answer : refusalBy(decides, rule)
}

/** It allows this very call: nobody else has to. */
export const allowsCall = ({ event }: Pick<HookCall, 'event'>, answer: HookAnswer): boolean =>
  event === 'PreToolUse' &&
  (fieldsOf(answer.hookSpecificOutput).permissionDecision === 'allow' || answer.decision === 'approve')

function changedInput(event: Deciding, answer: HookAnswer): unknown {
  const own = fieldsOf(answer.hookSpecificOutput)
  return event === 'PreToolUse' ? own.updatedInput : fieldsOf(own.decision).updatedInput
}

function refusalBy(event: Deciding, rule: string): HookAnswer {
  const message = `The policy of this machine forbids it (${rule}).`
  const own =
    event === 'PreToolUse'
      ? { permissionDecision: 'deny', permissionDecisionReason: message }
      : { decision: { behavior: 'deny', message } }
  return { hookSpecificOutput: { hookEventName: event, ...own } }
}
