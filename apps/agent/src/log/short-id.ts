/**
 * Shortens ids from programs so that our events and accounts can hold them (`ForeignId`). An id that is too long, empty or
 * not text gets a short id, always the same one, so that later frames with the id still match.
 */
import { sha256 } from './sha256'

/** Below the limit of the schema: a secret that is taken out of an id may make it longer. */
const LONGEST = 200
const KEPT = 64
const noText = /\p{Surrogate}|\0/u

export function shortId(id: string): string {
  if (id.length > 0 && id.length <= LONGEST && !noText.test(id)) return id
  return `${id.slice(0, KEPT).replace(/[^!-~]/g, '_')}~${sha256(id).slice(0, 32)}`
}
