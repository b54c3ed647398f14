/**
 * The JSON lines of `roundhouse-agent bridge`, by which a program on the same machine runs sessions without a hub
 * (`docs/bridge.md`). The names are those of the published Node backend that its clients were written for; they are not ours
 * to change. Reading is lenient: members that nobody knows mean nothing.
 */
import { z } from 'zod'

const id = z.string().min(1).max(256)
const ofSession = { id, session_id: z.string() }
/** Nothing of it is read. */
const nothing = z.unknown().optional()

/** From the client. */
export const BridgeRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.create'),
    id,
    payload: z.object({
      prompt: z.string(),
      cwd: z.string().min(1),
      /** `BridgeOptions`, read when the session is created: a bad option fails the session, not the message. */
      options: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
  z.object({ type: z.literal('session.send'), ...ofSession, payload: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('session.interrupt'), ...ofSession, payload: nothing }),
  z.object({ type: z.literal('session.kill'), ...ofSession, payload: nothing }),
  /** `id`: of the `callback.request`. */
  z.object({ type: z.literal('callback.response'), ...ofSession, payload: z.record(z.string(), z.unknown()) }),
  z.object({
    type: z.literal('query.call'),
    ...ofSession,
    payload: z.object({ method: z.string(), args: z.array(z.unknown()).nullish() }),
  }),
])
export type BridgeRequest = z.infer<typeof BridgeRequest>
export type BridgeRequestOf<T extends BridgeRequest['type']> = Extract<BridgeRequest, { type: T }>

export const BridgeErrorCode = z.enum([
  'INVALID_MESSAGE',
  'SESSION_NOT_FOUND',
  'SESSION_CREATE_FAILED',
  'SDK_ERROR',
  'INTERRUPT_FAILED',
])
export type BridgeErrorCode = z.infer<typeof BridgeErrorCode>

const empty = z.strictObject({})

/** From the bridge. */
export const BridgeReply = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.created'), ...ofSession, payload: empty }),
  z.strictObject({ type: z.literal('session.interrupted'), ...ofSession, payload: empty }),
  z.strictObject({ type: z.literal('session.killed'), ...ofSession, payload: empty }),
  /** A frame of the program, as it printed it. */
  z.strictObject({
    type: z.literal('sdk.message'),
    session_id: z.string(),
    payload: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    type: z.literal('callback.request'),
    ...ofSession,
    payload: z.discriminatedUnion('callback_type', [
      z.strictObject({
        callback_type: z.literal('can_use_tool'),
        tool_name: z.string(),
        tool_input: z.unknown(),
        suggestions: z.array(z.unknown()).optional(),
        tool_use_id: z.string().optional(),
      }),
      z.strictObject({
        callback_type: z.literal('hook'),
        hook_event: z.string(),
        hook_input: z.unknown(),
        tool_use_id: z.string().optional(),
      }),
    ]),
  }),
  z.strictObject({
    type: z.literal('query.result'),
    ...ofSession,
    payload: z.discriminatedUnion('success', [
      z.strictObject({ success: z.literal(true), result: z.unknown() }),
      z.strictObject({ success: z.literal(false), error: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal('error'),
    id: id.optional(),
    session_id: z.string().optional(),
    payload: z.strictObject({ code: BridgeErrorCode, message: z.string(), details: z.unknown().optional() }),
  }),
])
export type BridgeReply = z.infer<typeof BridgeReply>
export type BridgeReplyOf<T extends BridgeReply['type']> = Extract<BridgeReply, { type: T }>
