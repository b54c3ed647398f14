import { useCallback, useEffect, useRef } from 'react'
import type { StickOptions } from './stick-options'

const NEAR_EDGE_PX = 600
const AGAIN_MS = 1_000

/**
 * Asks for the rows beyond an edge that the reader is near to; again after a while, for as long as the reader is there and
 * some are left: they could not be had, or did not move the list, and at an edge nothing scrolls any more.
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
    // A reader who follows the end stays there, unless that is all there is to see.
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
