/** Stores half-filled answers in the browser, the newest fifty only, because a request may end without an answer. */
import { ownStore } from '../../../live/own-store'

const PREFIX = 'roundhouse.answer.'
const MOST = 50

interface Kept {
  at: number
  draft: unknown
}

export const keptDrafts = {
  read<T>(key: string): T | undefined {
    return parse(ownStore.get(PREFIX + key))?.draft as T | undefined
  },
  keep(key: string, draft: unknown): void {
    ownStore.set(PREFIX + key, JSON.stringify({ at: Date.now(), draft } satisfies Kept))
    const keys = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX))
    if (keys.length <= MOST) return
    const age = (one: string) => parse(localStorage.getItem(one))?.at ?? 0
    for (const one of keys.sort((a, b) => age(b) - age(a)).slice(MOST)) localStorage.removeItem(one)
  },
  drop(key: string): void {
    ownStore.drop(PREFIX + key)
  },
}

function parse(text: string | null): Kept | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Kept)
  } catch {
    return undefined // somebody changed the store by hand
  }
}
