/**
 * Finds where a program's record goes beyond our log if both end with the same content in another order. Pure. A program
 * and its host may note what comes at the same time in different orders:
 *
 *   log     p1 a | b p2            log     p1 a | p2 result b
 *   record  p1 a | p2 b | p3 c     record  p1 a | result p2 b
 */
import { onceIn } from './marks'

/** How much may stand in another order: what is read from a program in one piece, and more. */
const LONGEST_STRETCH = 500

/** Index of the first text of the record behind such a stretch; `null` if there is none. */
export function behindOtherOrder(ours: readonly string[], theirs: readonly string[]): number | null {
  const telling = onceIn(ours, onceIn(theirs))
  const known = new Set(ours.slice(-LONGEST_STRETCH))
  const meets = (here: number, there: number) => hasSameEnd(ours, here, theirs, there, telling)
  for (let there = theirs.length; there > 0; there--) {
    if (known.has(theirs[there - 1] ?? '') && meets(ours.length, there)) return there
  }
  // The record may end before the log does.
  const last = theirs.slice(-LONGEST_STRETCH)
  const noted = new Set(last)
  for (let here = ours.length - 1; here > 0; here--) {
    if (noted.has(ours[here - 1] ?? '') && meets(here, theirs.length)) return theirs.length
  }
  return null
}

/**
 * Whether both have the same texts right before here and there, with one among them that occurs once in each, and go on
 * alike before that: what is in another order then has its place.
 */
function hasSameEnd(
  ours: readonly string[],
  here: number,
  theirs: readonly string[],
  there: number,
  telling: ReadonlySet<string>,
): boolean {
  const surplus = new Map<string, number>()
  const count = (text: string, by: number) => {
    const now = (surplus.get(text) ?? 0) + by
    if (now === 0) surplus.delete(text)
    else surplus.set(text, now)
  }
  let isTold = false
  for (let back = 1; back <= LONGEST_STRETCH; back++) {
    const [one, other] = [ours[here - back], theirs[there - back]]
    if (one === undefined || other === undefined) return false
    count(one, 1)
    count(other, -1)
    isTold ||= telling.has(one)
    if (isTold && surplus.size === 0 && ours[here - back - 1] === theirs[there - back - 1]) return true
  }
  return false
}
