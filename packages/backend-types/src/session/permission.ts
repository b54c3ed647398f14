/** A permission request, its outcome, and the grant that "allow for session" leaves (PERM-1, PERM-5). */
import { z } from 'zod'
import { AnswerFields } from '../adapter/permission-request'
import { ForeignId, Id, Millis } from '../common/ids'
import { AskForm, AskPlan } from '../forms/form'
import { CutValue } from './cut-value'
import { COMPARED_FILES, FileChange } from './file-change'
import { FolderRuleOffer } from './folder-rule'
import { GrantScope, OfferedScope } from './grant-scope'
import { shownTool } from './shown-tool'

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
  /** Absent: a grant of the session (PERM-5). `session`: the rules of the session (PERM-12), whose id is `sessionRuleId`. `folder`: a
   * rule of the machine (PERM-13). */
  rule: z.enum(['session', 'folder']).optional(),
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
  /** What "always allow in this folder" may leave. Absent where the machine takes no rules, or none is certain (PERM-13). */
  folderRule: FolderRuleOffer.optional(),
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

/** The scope that an `allow_session` leaves, in the session or as a rule; undefined where the request does not offer it. */
export function chosenScope(
  { sessionScope, scopes, folderRule }: PermissionAsk,
  scopeId: string | undefined,
  always = false,
): Omit<OfferedScope, 'scopeId'> | undefined {
  if (always) return folderRule?.scopes.find((one) => one.scopeId === scopeId)
  return scopeId === undefined ? sessionScope : scopes?.find((one) => one.scopeId === scopeId)
}
