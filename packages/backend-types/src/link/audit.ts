/** The audit log as people read it, and the state of its chain. */
import { z } from 'zod'
import { Millis } from '../common/ids'

/** One row. `hash` covers the other facts and the hash of the row before: lower-case hex, empty in rows older than the chain. */
export const AuditItem = z.object({
  id: z.number().int(),
  at: Millis,
  /** A user's id, `agent:<id>`, `hub` or `stranger`. */
  actorId: z.string(),
  actorName: z.string(),
  /** Dotted, as in `session.create`. */
  action: z.string(),
  object: z.string().nullable(),
  outcome: z.string(),
  /** The client's address, where it is known. */
  address: z.string().nullable(),
  /** JSON text of short facts, exactly as it was hashed. */
  detail: z.string().nullable(),
  hash: z.string(),
})
export type AuditItem = z.infer<typeof AuditItem>

/** What the newest check found. `broken` names the first row, or the first decision, that does not hold. */
export const AuditState = z.object({
  intact: z.boolean(),
  /** Rows that were found good. */
  count: z.number().int().min(0),
  /** The last valid row. A person who notes it elsewhere can check later whether it is still in the chain. */
  head: z.object({ id: z.number().int(), hash: z.string() }),
  /** Where the data was put back to an older state (REB-2), and how far the log had gone before, where a machine knows it. */
  restores: z.array(z.object({ id: z.number().int(), lostUpTo: z.number().int().nullable() })).default([]),
  broken: z.object({ id: z.number().int().optional(), requestId: z.string().optional(), why: z.string() }).nullable(),
})
export type AuditState = z.infer<typeof AuditState>

export const AuditQuery = z.object({
  cursor: z.string().max(20).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  actorId: z.string().max(200).optional(),
  /** The whole action, or its first word: `session` finds `session.create`. */
  action: z.string().max(100).optional(),
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** Newest first. `signature`: the hub's Ed25519 key over `signedText.auditHead`, base64url. */
export const AuditPage = z.object({
  items: z.array(AuditItem),
  next: z.string().nullable(),
  state: AuditState,
  signature: z.string(),
})
export type AuditPage = z.infer<typeof AuditPage>
