/** What a permission covers beyond one action, and how it is offered. */
import { z } from 'zod'

/**
 * What a grant covers (PERM-5): exactly this action; every call of a tool; the calls of a tool that name files below a
 * folder; commands that begin with certain words, asked for in a folder; edits of a file; edits below a folder.
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
