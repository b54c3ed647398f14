/** A permission request, its outcome, and the grant that "allow for session" leaves (PERM-1, PERM-5). */
import { z } from 'zod'
import { AnswerFields } from '../adapter/adapter'
import { ForeignId, Id, Millis } from '../common/ids'
import { AskForm, AskPlan } from '../forms/form'
import { CutValue } from './cut-value'
import { COMPARED_FILES, FileChange } from './file-change'
import { shownTool } from './shown-tool'

/**
 * What a grant covers (PERM-5): exactly this action; every call of a tool; commands that begin with certain words, asked for
 * in a folder; edits of a file; edits below a folder. No host offers `folder`, and a grant of it covers nothing; it stays
 * readable for logs of earlier releases.
 */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('tool'), toolName: z.string() }),
  z.object({ kind: z.literal('folder'), toolName: z.string(), folder: z.string() }),
  z.object({
    kind: z.literal('commands'),
    toolName: z.string(),
    /** Word by word. */
    beginnings: z.array(z.array(z.string()).min(1)).min(1),
    /** Real path. */
    folder: z.string(),
  }),
  z.object({ kind: z.literal('edit_file'), file: z.string() }),
  z.object({ kind: z.literal('edit_folder'), folder: z.string() }),
])
export type GrantScope = z.infer<typeof GrantScope>

/** One of the scopes that "allow for session" can leave, in words. */
export const OfferedScope = z.object({ scopeId: z.string().min(1).max(64), scope: GrantScope, label: z.string() })
export type OfferedScope = z.infer<typeof OfferedScope>

export const Grant = z.object({
  grantId: Id,
  scope: GrantScope,
  /** Shown to people: what the scope covers, in words. */
  label: z.string(),
  expiresAt: Millis,
})
export type Grant = z.infer<typeof Grant>

/**
 * What allowed a request in the place of a person: its scope in words, and the decision that created it. Hosts of an earlier
 * release send only the id.
 */
export const AllowingGrant = z.object({
  grantId: Id,
  label: z.string().optional(),
  commandId: Id.optional(),
  /** Absent: a grant of the session (PERM-5). Otherwise a rule of the session (PERM-12), whose id is `sessionRuleId`. */
  rule: z.literal('session').optional(),
})
export type AllowingGrant = z.infer<typeof AllowingGrant>

/** Stands for all rules of a session in an `AllowingGrant`, and in the `rule` of a refusal. */
export const sessionRuleId = 'permissionConfig'

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
  ...shownTool,
  digest: z.string(),
  cwd: z.string(),
  reason: z.string().optional(),
  askedAt: Millis,
  expiresAt: Millis.optional(),
  canEdit: z.boolean(),
  canExplainDeny: z.boolean(),
  /** A question or a form: an allow may carry `answers` with these names. */
  answerFields: AnswerFields.optional(),
  /** The same question or form, as the page shows it. Absent from agents that do not describe it yet. */
  form: AskForm.optional(),
  /** A plan that waits for approval. */
  plan: AskPlan.optional(),
  /** An allow may carry the mode in which the session continues. */
  canSetMode: z.boolean().optional(),
  /** The scope that "allow for session" would leave; absent where it cannot be scoped and means plain `allow`. */
  sessionScope: z.object({ scope: GrantScope, label: z.string() }).optional(),
  /** Among which a person chooses; the first is `sessionScope`. Absent where there is no choice. */
  scopes: z.array(OfferedScope).max(8).optional(),
  /** False: files that the command names were too many or too large to pin by content. */
  filesPinned: z.boolean(),
  redactedSpans: z.number().int().min(0),
  /**
   * The files that the action changes, compared with their current content. Absent from agents that do not compare, and for
   * other actions.
   */
  changes: z.array(FileChange).max(COMPARED_FILES).optional(),
  /** What the machine could not settle about the names in it, in its own words. */
  notes: z.array(z.string().max(1_000)).max(8).optional(),
})
export type PermissionAsk = z.infer<typeof PermissionAsk>

/** The scope that an `allow_session` leaves; undefined where the request does not offer it. */
export function chosenScope(
  { sessionScope, scopes }: PermissionAsk,
  scopeId: string | undefined,
): Omit<OfferedScope, 'scopeId'> | undefined {
  return scopeId === undefined ? sessionScope : scopes?.find((one) => one.scopeId === scopeId)
}
