/** Files of a session's work folder, offered after `@` (CMD-10). Their names come from an untrusted repository. */
import { z } from 'zod'

export const MOST_FILES = 50
export const LONGEST_PATH = 1_024

/** Control and invisible characters, and bytes that are no text: a prompt cannot name such a file. */
const unwritable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u

export const isPlainPath = (path: string): boolean => /^[ -~]*$/.test(path) || !unwritable.test(path)

/**
 * One name of a path that is offered after `@`. A program may end a name at a quote, at `#`, or at a final punctuation mark,
 * and then reads another file than the chosen one; after a space and `@` it finds a second one.
 */
export const isOfferedName = (name: string): boolean =>
  isPlainPath(name) && !/["#]|\s@/.test(name) && /[\p{L}\p{N}_)\]}+]$/u.test(name)

export const FilesQuery = z.object({ query: z.string().max(300) })
export type FilesQuery = z.infer<typeof FilesQuery>

export const FilesReply = z.object({
  /** Relative to the work folder, the best first. */
  files: z.array(z.string().min(1).max(LONGEST_PATH).refine(isPlainPath)).max(MOST_FILES),
  /** False: the folder holds more than was looked at. */
  complete: z.boolean(),
})
export type FilesReply = z.infer<typeof FilesReply>
