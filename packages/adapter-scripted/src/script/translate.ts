/** From the player's frames to the contract's words. Pure; a frame that is no output of a conversation gives null. */
import type { BackendOutput, LiveDelta, PermissionRequest, TurnCompleteInfo } from '@roundhouse/backend-types'
import type { FromPlayer } from './frames'
import { questionOf } from './questions'
import { isRecord } from './script'

const nested = (frame: { under?: string }) => (frame.under === undefined ? {} : { parentCallId: frame.under })
const block = (frame: { block?: string }) => (frame.block === undefined ? {} : { blockId: frame.block })
const kinds = { say: 'assistant_text', think: 'thinking' } as const

/** A line of stdout, or null where it is no frame of ours. */
export function readFrame(line: string): FromPlayer | null {
  try {
    const frame: unknown = JSON.parse(line)
    return isRecord(frame) && typeof frame.type === 'string' ? (frame as FromPlayer) : null
  } catch {
    return null
  }
}

export function toOutput(frame: FromPlayer): BackendOutput | null {
  switch (frame.type) {
    case 'say':
    case 'think':
      return { kind: kinds[frame.type], text: frame.text, ...block(frame), ...nested(frame) }
    case 'call':
      return { kind: 'tool_use', toolName: frame.tool, input: frame.input, callId: frame.call, ...nested(frame) }
    case 'result':
      return {
        kind: 'tool_result',
        callId: frame.call,
        ...(frame.beside || frame.stopped ? { output: '', toModel: String(frame.output) } : { output: frame.output }),
        ...(frame.beside ? { background: true } : {}),
        ...(frame.stopped ? { stopped: true } : {}),
        ...(frame.failed ? { isError: true } : {}),
        ...nested(frame),
      }
    case 'todo':
      return { kind: 'plan', items: frame.items, ...nested(frame) }
    case 'progress':
      return { kind: 'tool_progress', callId: frame.call, text: frame.text, ...nested(frame) }
    case 'note':
      return { kind: 'system', subtype: frame.subtype, data: frame.data }
    default:
      return null
  }
}

export function toLive(frame: FromPlayer): LiveDelta | null {
  if (frame.type === 'piece') return { blockId: frame.block, kind: kinds[frame.of], text: frame.text, ...nested(frame) }
  if (frame.type === 'forget')
    return { blockId: frame.block, kind: kinds[frame.of], text: '', discarded: true, ...nested(frame) }
  return null
}

export function toRequest(frame: Extract<FromPlayer, { type: 'ask' }>): PermissionRequest {
  const { call: callId, tool: toolName, input, reason, cwd } = frame
  const why = reason === undefined ? {} : { reason }
  const meta = { backend: 'scripted', ...why, cwd, canEdit: true, canExplainDeny: true, ...questionOf(toolName, input) }
  return { callId, toolName, input, meta }
}

export function toTurnEnd(frame: Extract<FromPlayer, { type: 'end' }>, backendSessionId: string): TurnCompleteInfo {
  return {
    backendSessionId,
    reason: frame.outcome,
    ...(frame.cost === undefined ? {} : { cost: frame.cost }),
    duration: frame.ms,
    contextUsage: { used: frame.used, total: frame.window },
    usage: {
      inputTokens: frame.tokens.input,
      outputTokens: frame.tokens.output,
      cachedTokens: frame.tokens.cached,
      cacheWriteTokens: frame.tokens.written,
    },
    numTurns: frame.modelCalls,
    ...(frame.stop === undefined ? {} : { stopReason: frame.stop }),
    apiDuration: frame.modelMs,
    ...(frame.denied.length > 0 ? { denials: frame.denied } : {}),
    ...(frame.error ? { error: frame.error } : {}),
    ...(frame.meta ? { backendMeta: frame.meta } : {}),
  }
}
