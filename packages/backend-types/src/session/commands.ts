/**
 * Commands: what a person (through the hub) asks an agent to do. Each has an id, is stored before it is sent, is sent
 * until the agent has recorded it, and starts at most once (CMD-1..5). The result comes back through the log.
 */
import { z } from 'zod'
import { PromptImages } from '../adapter/images'
import { Answers, Decision } from '../adapter/permission-request'
import { BusData } from '../bus/message'
import { ForeignId, Id, Millis, Seq } from '../common/ids'
import { Author } from './events'
import { SessionSettings } from './session-settings'
import { TreeAnswer } from './tree-requests'

/** UTF-8 bytes that a prompt may have. */
export const PROMPT_LIMIT_BYTES = 1_048_576

const TurnOverride = z.object({ model: z.string().max(200).optional(), mode: z.string().max(200).optional() })

export const CommandBody = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('session.create'),
    settings: SessionSettings,
    title: z.string().max(200).optional(),
    /** The first prompt, queued at once. */
    prompt: z.object({ promptId: Id, text: z.string() }).optional(),
    continuedFrom: Id.optional(),
  }),
  /** Starts the backend again without a prompt. `fresh`: a new backend conversation (RES-5). */
  z.object({ kind: z.literal('session.resume'), fresh: z.boolean().optional() }),
  z.object({
    kind: z.literal('session.configure'),
    changes: SessionSettings.pick({
      model: true,
      mode: true,
      sandbox: true,
      thinking: true,
      maxThinkingTokens: true,
      autoResume: true,
    }).partial(),
  }),
  z.object({ kind: z.literal('session.stop') }),
  z.object({ kind: z.literal('session.delete') }),
  z.object({
    kind: z.literal('prompt.send'),
    promptId: Id,
    text: z.string(),
    override: TurnOverride.optional(),
    /** Into the running turn where the backend can; otherwise it is queued. */
    steer: z.boolean().optional(),
    /** Their bytes are asked for by the machine before it accepts. */
    images: PromptImages.optional(),
  }),
  z.object({ kind: z.literal('queue.edit'), promptId: Id, rev: z.number().int().min(0), text: z.string() }),
  z.object({ kind: z.literal('queue.remove'), promptId: Id, rev: z.number().int().min(0) }),
  z.object({
    kind: z.literal('queue.move'),
    promptId: Id,
    rev: z.number().int().min(0),
    toIndex: z.number().int().min(0),
  }),
  /** Releases a held queue (CMD-5). */
  z.object({ kind: z.literal('queue.release') }),
  z.object({ kind: z.literal('turn.interrupt'), turnId: Id }),
  /**
   * What an orchestrator tells the program. It is the answer to the tool call that waits for it, else it is told as a line of text.
   * It never decides a permission request.
   */
  z.object({
    kind: z.literal('program.tell'),
    name: z.enum(['approve', 'reject', 'set_phase']),
    /** Which of the program's requests it answers. */
    correlationId: Id.optional(),
    data: BusData,
  }),
  /** The hub's answer to a `session_request`. The call that waits gets it; where none does, it is dropped. */
  z.object({ kind: z.literal('tool.answer'), requestId: Id, answer: TreeAnswer }),
  /** Ends a helper or a command that runs beside the turns. Only what the account of the session lists as such. */
  z.object({ kind: z.literal('task.stop'), taskId: ForeignId }),
  z.object({
    kind: z.literal('permission.decide'),
    requestId: Id,
    procId: Id,
    decision: Decision,
    /** The digest that the person saw (PERM-2). */
    digest: z.string(),
    /** Longer than `REASON_LIMIT`, since commands of an earlier hub may still be under way. */
    reason: z.string().max(4_000).optional(),
    /** An edit: what runs instead. */
    updatedInput: z.unknown().optional(),
    /** To a question or a form. */
    answers: Answers.optional(),
    /** The mode in which the session continues, if the request says `canSetMode`. */
    mode: z.string().max(200).optional(),
    /** Which of the request's `scopes` an `allow_session` leaves. Absent: its `sessionScope`. */
    scopeId: z.string().max(64).optional(),
    /** The `allow_session` leaves a rule of the folder instead of a grant of the session (PERM-13). */
    always: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('grant.revoke'), grantId: Id }),
  /** Puts the files back that the program has changed since this prompt. */
  z.object({ kind: z.literal('files.rewind'), promptId: Id }),
  /** Ends the backend process of a session that hangs, or an orphan; the session stays resumable. */
  z.object({ kind: z.literal('process.end') }),
  z.object({ kind: z.literal('event.blank'), seq: Seq, reason: z.string().max(500) }),
])
export type CommandBody = z.infer<typeof CommandBody>
export type CommandKind = CommandBody['kind']
export type CommandOf<K extends CommandKind> = Extract<CommandBody, { kind: K }>

/** A command on its way to an agent. */
export const Command = z.object({
  commandId: Id,
  sessionId: Id,
  /** 1 and up per session, dense over the ordered kinds; absent on the unordered. */
  cmdSeq: z.number().int().min(1).optional(),
  author: Author,
  createdAt: Millis,
  body: CommandBody,
})
export type Command = z.infer<typeof Command>

/**
 * A command's life at the hub:
 *
 *   pending -> sent -> accepted -> done | refused | outcome_unknown
 *      \-> expired   \-> cancelled | expired
 *
 * `accepted` means the agent has it on disk. Progress after that is read from the log.
 */
export const CommandState = z.enum([
  'pending',
  'sent',
  'accepted',
  'done',
  'refused',
  'expired',
  'cancelled',
  'outcome_unknown',
])
export type CommandState = z.infer<typeof CommandState>

/** Milliseconds after which the hub expires a command that no agent accepted (CMD-4). `null`: as long as its request. */
export const commandLifeMs: Readonly<Record<CommandKind, number | null>> = {
  'session.create': 24 * 3_600_000,
  'session.resume': 3_600_000,
  'session.configure': 24 * 3_600_000,
  'session.stop': 60_000,
  /** A tombstone has no end either. */
  'session.delete': null,
  'prompt.send': 3_600_000,
  'queue.edit': 3_600_000,
  'queue.remove': 3_600_000,
  'queue.move': 3_600_000,
  'queue.release': 3_600_000,
  'turn.interrupt': 60_000,
  'program.tell': 3_600_000,
  'tool.answer': 24 * 3_600_000,
  'task.stop': 60_000,
  'permission.decide': null,
  'grant.revoke': 24 * 3_600_000,
  /** Later it would undo what nobody meant. */
  'files.rewind': 60_000,
  'process.end': 60_000,
  'event.blank': 30 * 24 * 3_600_000,
}
