/**
 * A `result` frame -> how the turn ended. `is_error` decides, never `subtype`: a failed model call is
 * `subtype: "success"` with `is_error: true`.
 */
import type { CodedReason, TurnCompleteInfo } from '@roundhouse/backend-types'
import { compact, type Frame, numberAt, recordAt, recordsAt, textAt } from '../wire/frames'
import { codeOf, type Failure } from './failures'
import { inputTokens } from './meters'

export interface TurnSoFar {
  /** We asked the CLI to end this turn. */
  interrupting: boolean
  /** The category of the failure that an assistant frame of this turn stood for. */
  failure?: string | undefined
  /** We ended it, because what the model service refuses it will go on to refuse. */
  refusal?: CodedReason | undefined
  /** When the limit ends that the service spoke of last, in milliseconds. */
  resetsAt?: number | undefined
}

export function readResult(result: Frame, turn: TurnSoFar): TurnCompleteInfo {
  const reason = reasonOf(result, turn)
  const message = sentenceOf(result)
  const status = numberAt(result, 'api_error_status')
  return compact({
    backendSessionId: textAt(result, 'session_id'),
    duration: numberAt(result, 'duration_ms'),
    reason,
    error:
      reason === 'failed'
        ? (turn.refusal ?? errorOf({ status, category: turn.failure, text: message }, turn))
        : undefined,
    usage: usageOf(recordAt(result, 'usage')),
    numTurns: numberAt(result, 'num_turns'),
    stopReason: textAt(result, 'stop_reason'),
    denials: denialsOf(result),
    backendMeta: compact({
      subtype: textAt(result, 'subtype'),
      terminalReason: textAt(result, 'terminal_reason'),
      numTurns: numberAt(result, 'num_turns'),
      stopReason: textAt(result, 'stop_reason'),
      apiErrorStatus: status,
    }),
  })
}

function errorOf(failure: Failure, { resetsAt }: TurnSoFar): CodedReason {
  const code = codeOf(failure)
  return compact({ code, message: failure.text, resetsAt: code === 'BACKEND_QUOTA' ? resetsAt : undefined })
}

function reasonOf(result: Frame, turn: TurnSoFar): NonNullable<TurnCompleteInfo['reason']> {
  const subtype = textAt(result, 'subtype')
  if (turn.refusal && !turn.interrupting) return 'failed'
  if (textAt(result, 'terminal_reason')?.startsWith('aborted')) return 'interrupted'
  if (subtype === 'error_max_turns') return 'max_turns'
  if (subtype === 'error_max_budget_usd') return 'budget'
  if (turn.interrupting && subtype === 'error_during_execution') return 'interrupted'
  return result.is_error === true || subtype !== 'success' ? 'failed' : 'completed'
}

function sentenceOf(result: Frame): string {
  const errors = Array.isArray(result.errors) ? result.errors : []
  const sentences = errors.filter((item): item is string => typeof item === 'string' && !item.startsWith('[ede_'))
  return (
    textAt(result, 'result') ||
    sentences.join('\n') ||
    `Claude Code reported ${textAt(result, 'subtype') ?? 'an error'}.`
  )
}

function usageOf(usage: Frame | undefined): TurnCompleteInfo['usage'] {
  if (!usage) return undefined
  return compact({
    inputTokens: inputTokens(usage),
    outputTokens: numberAt(usage, 'output_tokens'),
    cachedTokens: numberAt(usage, 'cache_read_input_tokens'),
    cacheWriteTokens: numberAt(usage, 'cache_creation_input_tokens'),
  })
}

/** Of this turn. The frame does not say why. */
function denialsOf(result: Frame): TurnCompleteInfo['denials'] {
  const denied = recordsAt(result, 'permission_denials').flatMap((call) => {
    const toolName = textAt(call, 'tool_name')
    return toolName === undefined ? [] : [compact({ toolName, callId: textAt(call, 'tool_use_id') })]
  })
  return denied.length > 0 ? denied : undefined
}
