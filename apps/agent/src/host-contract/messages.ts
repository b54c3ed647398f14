/**
 * What host and daemon say to each other over the session's socket: one JSON object a line. No event body crosses it;
 * the daemon reads the log file. Several daemons may be connected (an old and a new one during an upgrade).
 */
import { Command, ErrorBody, HostState, Id, LiveFrame, ReadQuery } from '@roundhouse/backend-types'
import { z } from 'zod'
import { AckedNews, HostPolicy } from './launch-spec'

/** Versions of this contract that a host of this build speaks. A daemon talks to its own and the previous (VER-2). */
export const HOST_PROTOCOL = 2

/** Characters of one line. The largest is a prompt of 1 MiB whose every character is escaped. */
export const LINE_LIMIT = 8 * 1024 * 1024
/** The limit of a line that a daemon reads: a host of an earlier release puts everything that its program said at once in one line. */
export const HEARD_LINE_LIMIT = 8 * LINE_LIMIT

const CommandAnswerSchema = z.union([
  z.object({ state: z.enum(['accepted', 'cancelled', 'done', 'outcome_unknown']) }),
  z.object({ state: z.literal('refused'), error: ErrorBody }),
])

/** Why a host ends. A connection that closes without it was cut, or the host died. */
export const ByeReason = z.enum(['idle', 'shutdown'])
export type ByeReason = z.infer<typeof ByeReason>

export const HostMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    proto: z.number().int(),
    pid: z.number().int(),
    start: z.string(),
    sessionId: Id,
    logId: Id,
    head: z.number().int(),
    state: HostState,
    /** Whether it may start programs. Absent: a host of an earlier version, which always may. */
    place: z.boolean().optional(),
    /** It knows queries, and the settings that only they change (CMD-11). Absent: a host of an earlier release, which would drop them. */
    queries: z.boolean().optional(),
  }),
  z.object({ type: z.literal('head'), head: z.number().int() }),
  z.object({ type: z.literal('state'), state: HostState }),
  z.object({ type: z.literal('live'), frames: z.array(LiveFrame) }),
  z.object({ type: z.literal('news'), commandId: Id, answer: CommandAnswerSchema }),
  z.discriminatedUnion('ok', [
    z.object({ type: z.literal('answer'), id: z.number().int(), ok: z.literal(true), value: z.unknown() }),
    z.object({ type: z.literal('answer'), id: z.number().int(), ok: z.literal(false), error: ErrorBody }),
  ]),
  /** The last line: the host ends on purpose, and everything it had to write is written. */
  z.object({ type: z.literal('bye'), why: ByeReason, message: z.string().optional() }),
])
export type HostMessage = z.infer<typeof HostMessage>
export type HostMessageOf<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>

export const StopHow = z.enum(['idle', 'shutdown'])
export type StopHow = z.infer<typeof StopHow>

/** Every request carries an `id` of the daemon's own counting; exactly one `answer` bears the same. */
export const HostRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), id: z.number().int(), command: Command }),
  z.object({ type: z.literal('cancel'), id: z.number().int(), commandId: Id }),
  z.object({ type: z.literal('block'), id: z.number().int(), blockId: z.string(), from: z.number().int().min(0) }),
  /** Of the running program. A host of an earlier release does not know it. */
  z.object({ type: z.literal('query'), id: z.number().int(), method: ReadQuery }),
  z.object({ type: z.literal('policy'), id: z.number().int(), policy: HostPolicy }),
  /** Answered when it is on the disk. A host of the previous version does not know it. */
  z.object({ type: z.literal('acked'), id: z.number().int(), ...AckedNews.shape }),
  /** Whether it may start programs. Taken away only where none runs; the answer says what holds. */
  z.object({ type: z.literal('place'), id: z.number().int(), has: z.boolean() }),
  /**
   * `idle`: the host ends only if nothing is going on. `shutdown`: the host ends in any case, because a person says so, or
   * because another host takes its place (`makesWay`; a host of the previous version does not know it).
   */
  z.object({ type: z.literal('stop'), id: z.number().int(), how: StopHow, makesWay: z.boolean().optional() }),
])
export type HostRequest = z.infer<typeof HostRequest>

const Nonce = z.string().min(32).max(128)

/** The first lines of a connection; every later one is sealed (`seal.ts`). A host of version 1 hears a `token` instead. */
export const HostAuth = z.object({ type: z.literal('auth'), nonce: Nonce })
export const HostChallenge = z.object({ type: z.literal('challenge'), nonce: Nonce, proof: z.string().max(128) })
export const DaemonProof = z.object({ type: z.literal('proof'), proof: z.string().max(128) })
