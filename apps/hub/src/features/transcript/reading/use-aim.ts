/**
 * Brings a row into view and keeps it there while the rows around it get their real heights or older ones are added.
 * Ends when the list has come to rest or the reader scrolls.
 */
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { VListHandle } from 'virtua'

type Align = 'center' | 'start'

const HOLD_MS = 4_000
const STILL_FRAMES = 40
const NEAR_PX = 2

interface AimOptions {
  list: RefObject<VListHandle | null>
  /** Sets the offset at once: a scroll that the list itself is animating could not be cancelled. */
  scrollTo: (offset: number) => void
  /** This hook sets it to true while the list is moving. */
  led: RefObject<boolean>
  indexOf: (seq: number) => number
}

export function useAim({ list, scrollTo, led, indexOf }: AimOptions) {
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
        const place = placeOf(handle, index, align)
        still = Math.abs(handle.scrollOffset - place) <= NEAR_PX ? still + 1 : 0
        if (still === 0) scrollTo(place)
        if (still < STILL_FRAMES && performance.now() < until) frame.current = requestAnimationFrame(hold)
        else release()
      }
      hold()
    },
    [list, scrollTo, led, release],
  )
  return { aim, release }
}

/** The scroll offset that shows the row at the wanted place, by the heights that the list knows. */
function placeOf(handle: VListHandle, index: number, align: Align): number {
  const top = handle.getItemOffset(index)
  const wanted = align === 'start' ? top : top + (handle.getItemSize(index) - handle.viewportSize) / 2
  return Math.max(0, Math.min(wanted, handle.scrollSize - handle.viewportSize))
}
