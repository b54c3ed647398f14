/**
 * The lines of the stream-json dialogue. Reading is lenient: frames are plain records, fields are asked for one by one,
 * key order and unknown keys mean nothing (they change between versions). A line that is no JSON object is `null`.
 */
import type { BackendImage } from '@roundhouse/backend-types'

export type Frame = Record<string, unknown>

export function parseFrame(line: string): Frame | null {
  try {
    return asRecord(JSON.parse(line)) ?? null
  } catch {
    return null
  }
}

export function asRecord(value: unknown): Frame | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : undefined
}

export function recordAt(frame: Frame | undefined, key: string): Frame | undefined {
  return asRecord(frame?.[key])
}

export function textAt(frame: Frame | undefined, key: string): string | undefined {
  const value = frame?.[key]
  return typeof value === 'string' ? value : undefined
}

export function numberAt(frame: Frame | undefined, key: string): number | undefined {
  const value = frame?.[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function recordsAt(frame: Frame | undefined, key: string): Frame[] {
  const value = frame?.[key]
  return Array.isArray(value) ? value.map(asRecord).filter((item) => item !== undefined) : []
}

/** Without undefined values, so that results compare and serialise as they read. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}

/** Set on frames of a sub-agent: the call that started it. */
export function parentOf(frame: Frame): { parentCallId?: string } {
  const parentCallId = textAt(frame, 'parent_tool_use_id')
  return parentCallId ? { parentCallId } : {}
}

/** Images stand before the text that speaks of them. The model's API refuses an empty text. */
export function userFrame(text: string, images: readonly BackendImage[] = [], uuid?: string): Frame {
  const said = text === '' && images.length > 0 ? [] : [{ type: 'text', text }]
  return {
    type: 'user',
    message: { role: 'user', content: [...images.map(imageBlock), ...said] },
    parent_tool_use_id: null,
    session_id: '',
    ...(uuid === undefined ? {} : { uuid }),
  }
}

const imageBlock = ({ mediaType, data }: BackendImage): Frame => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
})

export function controlRequest(requestId: string, request: Frame): Frame {
  return { type: 'control_request', request_id: requestId, request }
}

export function controlSuccess(requestId: string, response: Frame): Frame {
  return { type: 'control_response', response: { subtype: 'success', request_id: requestId, response } }
}

/** Not a refusal: the CLI takes it as "nobody could decide" and fails the tool call (PERM-4). */
export function controlError(requestId: string, error: string): Frame {
  return { type: 'control_response', response: { subtype: 'error', request_id: requestId, error } }
}
