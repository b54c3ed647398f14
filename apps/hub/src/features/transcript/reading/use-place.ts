/** The reader's position above the end, kept across a reload of the page. */
import { type RefObject, useCallback, useState } from 'react'
import type { VListHandle } from 'virtua'
import type { Row } from '../items/rows'

interface PlaceOptions {
  list: RefObject<VListHandle | null>
  rows: readonly Row[]
  following: RefObject<boolean>
}

export function usePlace(sessionId: string, { list, rows, following }: PlaceOptions) {
  const key = `roundhouse.place.${sessionId}`
  const [first] = useState(() => (isReload() ? Number(sessionStorage.getItem(key)) || null : null))
  const keep = useCallback(() => {
    const handle = list.current
    if (!handle) return
    const row = rows[handle.findItemIndex(handle.scrollOffset) - 1]
    if (following.current || !row || !('item' in row)) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, String(row.item.seq))
  }, [key, list, rows, following])
  return { first, keep }
}

/** The document was loaded at this address, not only navigated to it. */
let used = false
function isReload(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const reloaded = !used && entry?.type === 'reload' && new URL(entry.name).pathname === location.pathname
  used = true
  return reloaded
}
