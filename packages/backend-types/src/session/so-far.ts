/**
 * A session by its machine's own record, sent beside events whose beginning the machine no longer has (REB-2). It is valid
 * as of `seq`, which may be ahead of those events.
 */
import { z } from 'zod'
import { ContextUsage } from '../adapter/adapter'
import { Cursor, ForeignId, Id } from '../common/ids'
import { CodedReason } from './events'
import { Grant } from './permission'
import { ResumableReason } from './session'
import { SessionSettings } from './session-settings'

export const SoFar = z.object({
  seq: Cursor,
  settings: SessionSettings,
  realWorkDir: z.string().max(4096).optional(),
  title: z.string().optional(),
  continuedFrom: Id.optional(),
  backendSessionId: ForeignId.optional(),
  turnFailed: z.boolean().optional(),
  cost: z.number().min(0).optional(),
  contextUsage: ContextUsage.optional(),
  lastLine: z.string().max(4096).optional(),
  exit: z.object({ procId: z.string(), why: ResumableReason, error: CodedReason.nullable() }).optional(),
  grants: z.array(Grant).max(1_000).optional(),
})
export type SoFar = z.infer<typeof SoFar>
