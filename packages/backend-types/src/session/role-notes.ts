/** What a new program got of the notes of the session's role: the data of a `system` event with this subtype (POL-6). */
import { z } from 'zod'

export const roleNotesSubtype = 'role_notes'

export const RoleNotes = z.object({
  roleId: z.string().max(64),
  /** In the order in which they stand in the system prompt. */
  notes: z.array(
    z.object({
      name: z.string().max(200),
      /** Of the whole file. */
      bytes: z.number().int().min(0),
      /** Only its beginning went in. */
      cut: z.literal(true).optional(),
    }),
  ),
  /** Notes that did not go in, and why. */
  leftOut: z.array(z.object({ name: z.string().max(200), why: z.string().max(200) })),
  /** Why no note went in, in a sentence. */
  problem: z.string().max(1_000).optional(),
})
export type RoleNotes = z.infer<typeof RoleNotes>
