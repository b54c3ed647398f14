/**
 * What a session reports, as one of eight variants:
 *
 *     init, system*, (assistant_text | tool_use | tool_result | tool_progress)*, (result | error)
 *
 * Other packages cannot add one: the union is closed, and `unmarshalEvent` refuses every other kind.
 */
import { CodedError, firstFault } from '@roundhouse/backend-types'
import { z } from 'zod'
import { mapOf, omitEmpty } from './omit-empty'
import { CostData } from './result'

/**
 * What the adapter says beyond the fields of the variant, typed. The frames of the program itself never leave its adapter
 * (LOG-8).
 */
const raw = {
  raw: z
    .unknown()
    .optional()
    .overwrite((value) => value ?? undefined),
}

/** The session is there. */
export const InitEvent = z.object({ kind: z.literal('init'), sessionId: z.string(), ...raw })
export type InitEvent = z.infer<typeof InitEvent>

export const SystemEvent = z.object({
  kind: z.literal('system'),
  subtype: z.string(),
  message: omitEmpty(z.string()),
  ...raw,
})
export type SystemEvent = z.infer<typeof SystemEvent>

export const AssistantTextEvent = z.object({ kind: z.literal('assistant_text'), text: z.string(), ...raw })
export type AssistantTextEvent = z.infer<typeof AssistantTextEvent>

export const ToolUseEvent = z.object({
  kind: z.literal('tool_use'),
  toolName: z.string(),
  toolUseId: omitEmpty(z.string()),
  input: mapOf(z.unknown()),
  /** `filesystem`, `shell`, `network`, `linear` or `code-intel`. Absent: nobody has said. */
  toolCategory: omitEmpty(z.string()),
  ...raw,
})
export type ToolUseEvent = z.infer<typeof ToolUseEvent>

export const ToolResultEvent = z.object({
  kind: z.literal('tool_result'),
  /** Absent where only the id of the call is known. */
  toolName: omitEmpty(z.string()),
  toolUseId: omitEmpty(z.string()),
  content: z.string(),
  isError: z.boolean(),
  ...raw,
})
export type ToolResultEvent = z.infer<typeof ToolResultEvent>

export const ToolProgressEvent = z.object({
  kind: z.literal('tool_progress'),
  toolName: z.string(),
  elapsedSeconds: z.number(),
  ...raw,
})
export type ToolProgressEvent = z.infer<typeof ToolProgressEvent>

/** How the session ended. */
export const ResultEvent = z.object({
  kind: z.literal('result'),
  success: z.boolean(),
  message: omitEmpty(z.string()),
  errors: omitEmpty(z.array(z.string())),
  /** `error_max_turns` for example. */
  errorSubtype: omitEmpty(z.string()),
  cost: CostData.optional(),
  ...raw,
})
export type ResultEvent = z.infer<typeof ResultEvent>

/** The session ended without a result. Nothing follows it. */
export const ErrorEvent = z.object({
  kind: z.literal('error'),
  message: z.string(),
  code: omitEmpty(z.string()),
  ...raw,
})
export type ErrorEvent = z.infer<typeof ErrorEvent>

export const Event = z.discriminatedUnion('kind', [
  InitEvent,
  SystemEvent,
  AssistantTextEvent,
  ToolUseEvent,
  ToolResultEvent,
  ToolProgressEvent,
  ResultEvent,
  ErrorEvent,
])
export type Event = z.infer<typeof Event>

export const EventKind = z.enum(Event.options.map((option) => option.shape.kind.value))
export type EventKind = Event['kind']

/** The events with which a session ends. */
export type TerminalEvent = ResultEvent | ErrorEvent

/** One line of JSON, `kind` first. */
export function marshalEvent(event: Event): string {
  return JSON.stringify(Event.parse(event))
}

/** `INVALID_ARGUMENT` for what is no event. Unknown fields are left out. */
export function unmarshalEvent(json: string): Event {
  const found = Event.safeParse(parsed(json))
  if (found.success) return found.data
  const { path, text } = firstFault(found.error, 'event')
  throw new CodedError('INVALID_ARGUMENT', `This is no event: ${text}`, { path: path || 'event' }, found.error)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new CodedError('INVALID_ARGUMENT', 'This is no event: it is no JSON.', undefined, error)
  }
}
