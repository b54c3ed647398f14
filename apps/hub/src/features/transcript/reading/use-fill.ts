import { useCallback, useEffect, useRef } from 'react'
import type { StickOptions } from './stick-options'

const NEAR_EDGE_PX = 600
const AGAIN_MS = 1_000

/**
 * Loads rows beyond an edge that the reader is near. Repeats after a while if the reader is still there and more are
 * left: loading may have failed or not moved the list, and at an edge no scroll event follows.
 */
export function useFill({ list, older, newer, loadOlder, loadNewer, following }: StickOptions): () => void {
  const retry = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const fill = useRef(() => {})
  fill.current = () => {
    clearTimeout(retry.current)
    const handle = list.current
    if (!handle) return
    const nearTop = handle.scrollOffset < NEAR_EDGE_PX
    const nearBottom = handle.scrollOffset + handle.viewportSize > handle.scrollSize - NEAR_EDGE_PX
    // A reader who follows the end stays there, unless everything fits.
    const readsTop = !following.current || handle.scrollSize <= handle.viewportSize
    const load = newer && nearBottom ? loadNewer : older && nearTop && readsTop ? loadOlder : null
    if (!load) return
    void load().then(() => {
      clearTimeout(retry.current)
      retry.current = setTimeout(() => fill.current(), AGAIN_MS)
    })
  }
  useEffect(() => () => clearTimeout(retry.current), [])
  return useCallback(() => fill.current(), [])
}
