/** What an action would change in a file, as the machine found the file when the action was requested (PERM-7). */
import { z } from 'zod'

/** Bytes of a file that is compared. */
export const COMPARED_BYTES = 1024 * 1024
/** Files of one action that are looked at. */
export const COMPARED_FILES = 16

/** Why a file was not compared. Words of later agents are possible. */
export type NotCompared = 'outside' | 'too_large' | 'not_text' | 'not_a_file' | 'unreadable'

export const FileChange = z.object({
  /** As the action names it. */
  path: z.string().max(4096),
  /** What lay there: nothing, a file, or nobody knows. */
  was: z.enum(['missing', 'file', 'unknown']),
  /** `NotCompared`: the machine did not look into it, and there is no `diff`. */
  unseen: z.string().max(64).optional(),
  /** Lines of the file. */
  lines: z.number().int().min(0).optional(),
  /** Its lines end as on Windows; they are compared without that. */
  crlf: z.literal(true).optional(),
  /** In how many places the text stands that is to be replaced. Zero: it is not there. */
  places: z.number().int().min(0).optional(),
  /** Unified, with three lines around each change, without its secrets. Absent where there is nothing to compare. */
  diff: z
    .string()
    .max(256 * 1024)
    .optional(),
  /** Counts of the complete change, whether or not `diff` has all of it. */
  added: z.number().int().min(0).optional(),
  removed: z.number().int().min(0).optional(),
  /** `diff` is the beginning of the change. */
  diffCut: z.literal(true).optional(),
})
export type FileChange = z.infer<typeof FileChange>
