/** The shapes of the frames on the socket `/viewer`; `frames/viewer-frames.ts` has the frames. */
import { z } from 'zod'
import { Cursor, ForeignId, Id, Millis } from '../common/ids'
import { DiskTrouble } from './disk-trouble'

export const Watch = z.object({ sessionId: Id, afterSeq: Cursor, hubEpoch: z.string().max(64) })
export type Watch = z.infer<typeof Watch>

export const OfSession = z.object({ sessionId: Id })

export const WatchInbox = z.object({ rev: z.number().int().min(0).optional() })
export type WatchInbox = z.infer<typeof WatchInbox>

export const BlockGet = z.object({ sessionId: Id, blockId: ForeignId, from: z.number().int().min(0) })

/** Something in a person's inbox, or in their lists of sessions, is newer than what they fetched before this `rev` (VIEW-7). */
export const InboxChange = z.object({ rev: z.number().int() })
export type InboxChange = z.infer<typeof InboxChange>

export const Storage = z.object({
  state: z.union([z.literal('ok'), DiskTrouble, z.enum(['locked', 'moved'])]),
  since: Millis.nullable(),
})
