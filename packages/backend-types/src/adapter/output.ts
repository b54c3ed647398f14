/** What a backend prints, typed. */
import { z } from 'zod'

export const PlanItem = z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })
export type PlanItem = z.infer<typeof PlanItem>

/** Set on output that a sub-agent made: the `callId` of the tool call that started it. */
const nested = { parentCallId: z.string().optional() }
/** More about the result of a call. */
export const answered = {
  /** The call has its answer, and what it started runs on in the background. */
  background: z.boolean().optional(),
  /** A person's interrupt ended it: no failure of its own. */
  stopped: z.boolean().optional(),
  /** The text that the model was told, if it differs from the call's output. */
  toModel: z.string().optional(),
}
const block = {
  /** Names the live block that this finished block replaces (LOG-5). Absent where the adapter streamed nothing. */
  blockId: z.string().optional(),
  /** The program broke the block off, and its own record has nothing of it. */
  partial: z.boolean().optional(),
}

/**
 * What a backend printed, typed. `raw` is for diagnosis on the agent alone: it is never logged as an event and
 * never leaves the machine (LOG-8). `tool_progress` is only ever live.
 */
export const BackendOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('assistant_text'), text: z.string(), ...block, ...nested }),
  z.object({ kind: z.literal('thinking'), text: z.string(), ...block, ...nested }),
  z.object({ kind: z.literal('tool_use'), toolName: z.string(), input: z.unknown(), callId: z.string(), ...nested }),
  z.object({
    kind: z.literal('tool_result'),
    callId: z.string(),
    output: z.unknown(),
    isError: z.boolean().optional(),
    ...answered,
    ...nested,
  }),
  z.object({ kind: z.literal('plan'), items: z.array(PlanItem), ...nested }),
  z.object({ kind: z.literal('tool_progress'), callId: z.string(), text: z.string(), ...nested }),
  z.object({ kind: z.literal('system'), subtype: z.string(), data: z.unknown() }),
  z.object({ kind: z.literal('raw'), backend: z.string(), payload: z.unknown() }),
])
export type BackendOutput = z.infer<typeof BackendOutput>

/** A piece of a block that is still being written. `text` follows what came before under the same `blockId`. */
export interface LiveDelta {
  blockId: string
  kind: 'assistant_text' | 'thinking'
  text: string
  parentCallId?: string
  /** The attempt was abandoned (for example the model call is retried): forget the block. */
  discarded?: boolean
}
