/** What is asked, what became of it, and what an answer for the session leaves behind (PERM-1, PERM-5). */
import { z } from 'zod'
import { AnswerFields } from './adapter'
import { CutValue } from './cut-value'
import { ForeignId, Id, Millis } from './ids'

/** What a grant covers: exactly this action, every call of this tool, or edits below this folder (PERM-5). */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('tool'), toolName: z.string() }),
  z.object({ kind: z.literal('folder'), toolName: z.string(), folder: z.string() }),
])
export type GrantScope = z.infer<typeof GrantScope>

export const Grant = z.object({
  grantId: Id,
  scope: GrantScope,
  /** Shown to people: what the scope covers, in words. */
  label: z.string(),
  expiresAt: Millis,
})
export type Grant = z.infer<typeof Grant>

export const PermissionOutcome = z.enum([
  'open',
  'applied',
  'refused',
  'expired',
  'withdrawn',
  'orphaned',
  'superseded',
  'outcome_unknown',
])
export type PermissionOutcome = z.infer<typeof PermissionOutcome>

/** A permission request as everybody outside the host sees it (PERM-1, PERM-8). */
export const PermissionAsk = z.object({
  requestId: Id,
  procId: Id,
  callId: ForeignId,
  turnId: Id.optional(),
  toolName: z.string(),
  input: z.union([z.unknown(), CutValue]),
  /** The host cut `input`, which is a `CutValue`. Without it `input` is what the program asked, whatever it looks like (PERM-7). */
  inputCut: z.literal(true).optional(),
  digest: z.string(),
  cwd: z.string(),
  reason: z.string().optional(),
  askedAt: Millis,
  expiresAt: Millis.optional(),
  canEdit: z.boolean(),
  canExplainDeny: z.boolean(),
  /** A question or a form: an allow may carry `answers` with these names. */
  answerFields: AnswerFields.optional(),
  /** An allow may carry the mode in which the session goes on. */
  canSetMode: z.boolean().optional(),
  /** The scope that "allow for session" would leave; absent where it cannot be scoped and means plain `allow`. */
  sessionScope: z.object({ scope: GrantScope, label: z.string() }).optional(),
  /** False: files that the command names were too many or too large to pin by content. */
  filesPinned: z.boolean(),
  redactedSpans: z.number().int().min(0),
  /** What the machine could not settle about the names in it, in its own words. */
  notes: z.array(z.string().max(1_000)).max(8).optional(),
})
export type PermissionAsk = z.infer<typeof PermissionAsk>
