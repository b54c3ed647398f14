/**
 * The content of single frames -> typed outputs. Stateless: what needs memory (live blocks, plans, turns) is in
 * `translate.ts` and the parts it puts together.
 */
import type { BackendOutput } from '@roundhouse/backend-types'
import { compact, type Frame, numberAt, parentOf, recordAt, recordsAt, textAt } from '../wire/frames'

export function raw(payload: unknown): BackendOutput {
  return { kind: 'raw', backend: 'claude', payload }
}

/** What was said instead of an answer: the model call failed. It is no word of the assistant. */
export function failureOf(frame: Frame): { category: string; output: BackendOutput } | undefined {
  const category = textAt(frame, 'error')
  if (category === undefined) return undefined
  const message = recordsAt(recordAt(frame, 'message'), 'content')
    .map((block) => textAt(block, 'text') ?? '')
    .join('\n')
  const status = numberAt(frame, 'api_error_status')
  return { category, output: { kind: 'system', subtype: 'api_error', data: compact({ message, category, status }) } }
}

export function toolUse(frame: Frame, block: Frame): Extract<BackendOutput, { kind: 'tool_use' }> | undefined {
  const callId = textAt(block, 'id')
  const toolName = textAt(block, 'name')
  if (callId === undefined || toolName === undefined) return undefined
  return { kind: 'tool_use', toolName, input: block.input ?? {}, callId, ...parentOf(frame) }
}

/** Every API request and every estimate of thinking: of no use to a person. */
const noise = new Set(['thinking_tokens', 'background_tasks_changed'])

export function systemOutput(frame: Frame): BackendOutput {
  const subtype = textAt(frame, 'subtype') ?? 'unknown'
  const callId = textAt(frame, 'tool_use_id')
  if (subtype === 'task_progress' && callId !== undefined) {
    return { kind: 'tool_progress', callId, text: textAt(frame, 'description') ?? '', ...parentOf(frame) }
  }
  if (noise.has(subtype) || (subtype === 'status' && isPlainStatus(frame))) return raw(frame)
  const { type: _type, subtype: _subtype, session_id: _session, uuid: _uuid, ...data } = frame
  return { kind: 'system', subtype, data }
}

/** `requesting` before every model call, or nothing at all. `compacting` and its result are worth telling. */
function isPlainStatus(frame: Frame): boolean {
  const status = textAt(frame, 'status')
  return (status === undefined || status === 'requesting') && !('compact_result' in frame)
}

/** What stood before and what stands now, in tokens. */
export function compactionOutput(frame: Frame): BackendOutput {
  const about = recordAt(frame, 'compact_metadata')
  const [before, after] = [numberAt(about, 'pre_tokens'), numberAt(about, 'post_tokens')]
  const data = compact({ tokensBefore: before, tokensAfter: after, byItself: textAt(about, 'trigger') === 'auto' })
  return { kind: 'system', subtype: 'conversation_compacted', data }
}

/** `system/init` without the lists that a page of settings would need: it comes again with every turn. */
export function initOutput(frame: Frame): Extract<BackendOutput, { kind: 'system' }> {
  return {
    kind: 'system',
    subtype: 'init',
    data: compact({
      model: textAt(frame, 'model'),
      mode: textAt(frame, 'permissionMode'),
      cwd: textAt(frame, 'cwd'),
      version: textAt(frame, 'claude_code_version'),
      tools: Array.isArray(frame.tools) ? frame.tools : undefined,
      mcpServers: Array.isArray(frame.mcp_servers) ? frame.mcp_servers : undefined,
    }),
  }
}

/** The call is named directly or as the parent of the progress; a hook's heartbeat names neither. */
export function toolProgress(frame: Frame, isOpen: (callId: string) => boolean): BackendOutput {
  const { parentCallId } = parentOf(frame)
  const own = textAt(frame, 'tool_use_id')
  const callId = own !== undefined && isOpen(own) ? own : parentCallId
  if (callId === undefined || !isOpen(callId)) return raw(frame)
  const seconds = numberAt(frame, 'elapsed_time_seconds')
  const text = `${textAt(frame, 'tool_name') ?? 'tool'}${seconds === undefined ? '' : `, ${seconds} s`}`
  return compact({ kind: 'tool_progress', callId, text, parentCallId: callId === own ? parentCallId : undefined })
}
