/**
 * Brings a row into view and holds it there while the rows around it get their true heights, or others come in front of
 * it; until it has come to rest, or the reader takes over.
 */
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { VListHandle } from 'virtua'

type Align = 'center' | 'start'

const HOLD_MS = 4_000
const STILL_FRAMES = 40
const NEAR_PX = 2

/** `led`: ours to set, true while the list is on its way. */
export function useAim(list: RefObject<VListHandle | null>, led: RefObject<boolean>, indexOf: (seq: number) => number) {
  const frame = useRef(0)
  const find = useRef(indexOf)
  find.current = indexOf

  const release = useCallback(() => {
    cancelAnimationFrame(frame.current)
    led.current = false
  }, [led])
  useEffect(() => release, [release])

  const aim = useCallback(
    (seq: number, align: Align) => {
      cancelAnimationFrame(frame.current)
      led.current = true
      const until = performance.now() + HOLD_MS
      let still = 0
      const hold = () => {
        const handle = list.current
        if (!handle) return release()
        const index = find.current(seq)
        const off = Math.abs(handle.scrollOffset - placeOf(handle, index, align))
        still = off <= NEAR_PX ? still + 1 : 0
        if (still === 0) handle.scrollToIndex(index, { align })
        if (still < STILL_FRAMES && performance.now() < until) frame.current = requestAnimationFrame(hold)
        else release()
      }
      hold()
    },
    [list, led, release],
  )
  return { aim, release }
}

/** The scroll offset that shows the row where it is wanted, as far as the list knows its heights. */
function placeOf(handle: VListHandle, index: number, align: Align): number {
  const top = handle.getItemOffset(index)
  const wanted = align === 'start' ? top : top + (handle.getItemSize(index) - handle.viewportSize) / 2
  return Math.max(0, Math.min(wanted, handle.scrollSize - handle.viewportSize))
}
