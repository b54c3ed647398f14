/** Whether changes are shown side by side: one choice for all of them, stored in this browser. */
const KEY = 'roundhouse.diff'
const listeners = new Set<() => void>()

export const splitDiff = {
  get: (): boolean => localStorage.getItem(KEY) === 'split',
  set(split: boolean): void {
    localStorage.setItem(KEY, split ? 'split' : 'unified')
    for (const each of listeners) each()
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
