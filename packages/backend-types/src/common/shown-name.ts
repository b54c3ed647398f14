/** Names that people choose, and the form in which they are accepted. */
import { z } from 'zod'

const unseen = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
/** One line, of characters that can be seen: it stands in lists beside others, and in the title of the window. */
export const shownName = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.trim() !== '' && !unseen.test(text), 'Use characters that can be seen.')
