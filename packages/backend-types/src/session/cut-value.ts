/** The log's replacement for a value that is too large. */
import { z } from 'zod'
import { Id, Sha256 } from '../common/ids'

/** The size of one chunk from a machine: small enough to hardly ever delay a transcript. */
export const ARTIFACT_CHUNK_BYTES = 131_072

/**
 * A value too large for the log: its ends, its size, and where the whole lies (LOG-6). Strict, so that nothing can hide
 * beside the ends in a value that only looks like a cut one (PERM-7).
 */
export const CutValue = z.strictObject({
  cut: z.literal(true),
  head: z.string(),
  tail: z.string(),
  /** UTF-8 bytes of the whole. */
  bytes: z.number().int().min(0),
  sha256: Sha256,
  artifactId: Id.optional(),
  /** The whole was over the artifact limit: only the ends exist. */
  truncated: z.boolean().optional(),
})
export type CutValue = z.infer<typeof CutValue>

export function isCutValue(value: unknown): value is CutValue {
  return CutValue.safeParse(value).success
}
