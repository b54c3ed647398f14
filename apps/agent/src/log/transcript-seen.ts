/**
 * How far the backend's own record of a conversation was read (RES-9): the state of its file at that time. It is in the log,
 * so the daemon can read it while no host runs.
 */
import { z } from 'zod'

export const transcriptSeenKey = 'transcriptSeen'

const FileState = z.object({ bytes: z.number(), changedAt: z.number() })
export type FileState = z.infer<typeof FileState>

export const TranscriptSeen = FileState.extend({
  backendSessionId: z.string(),
  file: z.string(),
  /** Prompts of another program among our own turns that the log has reported. */
  forked: z.number().default(0),
})
export type TranscriptSeen = z.infer<typeof TranscriptSeen>

export function parseTranscriptSeen(text: string | null): TranscriptSeen | null {
  return text === null ? null : TranscriptSeen.parse(JSON.parse(text))
}

export const stateOf = ({ size, mtimeMs }: { size: number; mtimeMs: number }): FileState => ({
  bytes: size,
  changedAt: mtimeMs,
})

export const isSameState = (one: FileState, other: FileState): boolean =>
  one.bytes === other.bytes && one.changedAt === other.changedAt
