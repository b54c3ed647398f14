/** `g` and then a letter opens a page. Nothing else may handle the second key. Pure. */
import { places } from './places'

const goTargets = new Map(places.map(({ letter, href }) => [letter, href]))

const SECOND_KEY_WITHIN_MS = 1_200

export interface GoStep {
  /** When the pending `g` was pressed. */
  startedAt: number | null
  target: string | null
  /** The key belonged to the move, even if it led nowhere. */
  taken: boolean
}

export function goStep(startedAt: number | null, key: string, at: number): GoStep {
  if (key.length > 1) return { startedAt, target: null, taken: false }
  if (startedAt !== null && at - startedAt < SECOND_KEY_WITHIN_MS) {
    return { startedAt: null, target: goTargets.get(key) ?? null, taken: true }
  }
  return key === 'g' ? { startedAt: at, target: null, taken: true } : { startedAt: null, target: null, taken: false }
}
