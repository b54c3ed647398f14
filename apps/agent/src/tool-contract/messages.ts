/**
 * What a program's side and the session host say over the socket of the session's tools: one JSON object a line. The caller's first
 * two lines prove that it knows the key (`host-contract/proof.ts`). Then it sends requests, and gets one answer to each.
 */
import { ErrorBody, Id } from '@roundhouse/backend-types'
import { z } from 'zod'

/** Characters of one line. A message has at most 64 KiB, and each of its characters may be escaped. */
export const TOOL_LINE_LIMIT = 512 * 1024

export const CallerHello = z.object({ nonce: z.string().regex(/^[0-9a-f]{32}$/) })
export const HostChallenge = z.object({ nonce: z.string(), proof: z.string() })
export const CallerProof = z.object({ proof: z.string().max(128) })

export const ToolRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('call'),
    id: z.number().int().positive(),
    /** Of this call. A repeated call with the same one has the result of the first. */
    callId: Id,
    tool: z.string().max(64),
    input: z.unknown(),
  }),
  /** Nobody waits for this call any more. */
  z.object({ type: z.literal('cancel'), id: z.number().int().positive() }),
])
export type ToolRequest = z.infer<typeof ToolRequest>

/** `id` 0: about the connection, which ends. */
export const ToolAnswer = z.discriminatedUnion('ok', [
  z.object({ id: z.number().int().min(0), ok: z.literal(true), value: z.unknown() }),
  z.object({ id: z.number().int().min(0), ok: z.literal(false), error: ErrorBody }),
])
export type ToolAnswer = z.infer<typeof ToolAnswer>
