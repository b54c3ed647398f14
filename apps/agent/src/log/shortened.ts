/** Cuts ids and texts that are too long for their place. */
import { sha256 } from './sha256'

/** Below the limit of the schema: a secret that is taken out of an id may make it longer. */
const LONGEST = 200
const KEPT = 64
const noText = /\p{Surrogate}|\0/u

/**
 * Shortens ids from programs so that our events and accounts can hold them (`ForeignId`). An id that is too long, empty or
 * not text gets a short id, always the same one, so that later frames with the id still match.
 */
export function shortId(id: string): string {
  if (id.length > 0 && id.length <= LONGEST && !noText.test(id)) return id
  return `${id.slice(0, KEPT).replace(/[^!-~]/g, '_')}~${sha256(id).slice(0, 32)}`
}

/** Cuts texts that are too long for their place, and marks the cut (PERM-7). */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… [${text.length.toLocaleString('en-US')} characters, cut here]`
}
