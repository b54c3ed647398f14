/** Names that people choose, and the form in which they are accepted. */
import { z } from 'zod'

/** Blanks, and what fonts draw nothing for: soft hyphens, joiners, fillers, the blank pattern of Braille. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u
const unseen = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
/** One line, of characters that can be seen: it stands in lists beside others, and in the title of the window. */
export const shownName = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !blank.test(text) && !unseen.test(text), 'Use characters that can be seen.')
