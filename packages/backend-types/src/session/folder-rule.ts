/**
 * A rule that "always allow in this folder" leaves on a machine (PERM-13): as everybody sees it. It holds for all sessions of its
 * backend in its folder until it expires or is revoked.
 */
import { z } from 'zod'
import { BackendKind } from '../adapter/backends'
import { Id, Millis } from '../common/ids'
import { GrantScope, OfferedScope } from './grant-scope'

/** How long a rule holds. */
export const FOLDER_RULE_LIFE_MS = 30 * 86_400_000
export const MOST_FOLDER_RULES = 200

export const FolderRule = z.object({
  ruleId: Id,
  scope: GrantScope,
  /** What it allows, in words. */
  label: z.string().max(2_000),
  /** Real path of the work folder of the sessions for which it holds. */
  folder: z.string().max(4_096),
  backend: BackendKind,
  createdAt: Millis,
  expiresAt: Millis,
  /** Whose decision left it, as the hub named that person. */
  author: z.object({ userId: z.string(), name: z.string() }),
  /** In which session. */
  sessionId: Id,
})
export type FolderRule = z.infer<typeof FolderRule>

/** With a request: what "always allow in this folder" may leave. */
export const FolderRuleOffer = z.object({
  folder: z.string(),
  lifeMs: Millis,
  scopes: z.array(OfferedScope).min(1).max(8),
})
export type FolderRuleOffer = z.infer<typeof FolderRuleOffer>

export const FolderRules = z.object({ rules: z.array(FolderRule).max(MOST_FOLDER_RULES) })
export type FolderRules = z.infer<typeof FolderRules>
