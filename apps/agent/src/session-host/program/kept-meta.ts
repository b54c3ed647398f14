/**
 * What a program said of its turn in its own words, as far as it is kept: values of JSON, limited in size. An odd value never
 * keeps a turn from its end. Pure.
 */
import type { SessionEventOf, TurnCompleteInfo } from '@roundhouse/backend-types'

const MOST_CHARS = 8_192
const MOST_MEMBERS = 100

type Kept = Pick<SessionEventOf<'turn_completed'>, 'backendMeta' | 'backendMetaCut'>

export function keptMeta(meta: TurnCompleteInfo['backendMeta']): Kept {
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return {}
  const kept: Array<[string, unknown]> = []
  let left = MOST_CHARS
  let isCut = false
  for (const [name, value] of Object.entries(meta)) {
    if (value === undefined) continue
    const text = jsonOf(value)
    const length = name.length + (text?.length ?? 0)
    if (text === undefined || length > left || kept.length === MOST_MEMBERS) isCut = true
    else {
      kept.push([name, JSON.parse(text)])
      left -= length
    }
  }
  return {
    ...(kept.length > 0 ? { backendMeta: Object.fromEntries(kept) } : {}),
    ...(isCut ? { backendMetaCut: true } : {}),
  }
}

/** Undefined for what is no JSON: a function, a circle, a number beyond all. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
