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

interface AimOptions {
  list: RefObject<VListHandle | null>
  /** Sets the place at once: a way that the list itself still pursues could not be taken back from it. */
  scrollTo: (offset: number) => void
  /** Ours to set, true while the list is on its way. */
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

/** The scroll offset that shows the row where it is wanted, as far as the list knows its heights. */
function placeOf(handle: VListHandle, index: number, align: Align): number {
  const top = handle.getItemOffset(index)
  const wanted = align === 'start' ? top : top + (handle.getItemSize(index) - handle.viewportSize) / 2
  return Math.max(0, Math.min(wanted, handle.scrollSize - handle.viewportSize))
}
