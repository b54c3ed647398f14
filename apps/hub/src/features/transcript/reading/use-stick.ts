/**
 * Tracks the reader of a growing list: at the end, and then the list follows, or above it, and then nothing moves. Only
 * the reader leaves the end; rows that arrive faster than the list follows, and corrected heights, do not. If the
 * reader opens something at the end, its beginning stays in place. Near the top it loads older rows, near the bottom
 * newer ones, until there are enough or none are left.
 */
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type WheelEvent,
} from 'react'
import type { StickOptions } from './stick-options'
import { useFill } from './use-fill'

const NEAR_BOTTOM_PX = 80

export function useStick(options: StickOptions) {
  const { list, rows, newer, openEnd, following, led, opened } = options
  const [atBottom, setAtBottom] = useState(following.current)
  /** The reader has scrolled since the list was at its end. */
  const moved = useRef(false)
  /** The reader turned away and nothing has moved up since, so events about the end still belong to the way there. */
  const leaving = useRef(false)
  const lastOffset = useRef(0)
  /** The row in which the reader pressed something, and its height at that time. */
  const pressed = useRef<{ row: HTMLElement; height: number }>(null)
  const follow = useCallback(
    (stick: boolean) => {
      following.current = stick
      setAtBottom(stick)
    },
    [following],
  )
  // Scrolls at once and by the browser itself: an animation of the list would pull back a reader who leaves.
  const box = useRef<HTMLDivElement>(null)
  const scrollTo = useCallback((offset: number) => {
    const scroller = scrollerIn(box.current)
    if (scroller) scroller.scrollTop = offset
  }, [])
  const scrollToEnd = useCallback(() => scrollTo(scrollerIn(box.current)?.scrollHeight ?? 0), [scrollTo])
  const toTheEnd = useCallback(() => {
    pressed.current = null
    moved.current = false
    leaving.current = false
    follow(true)
    if (newer) void openEnd()
    else scrollToEnd()
  }, [follow, newer, openEnd, scrollToEnd])
  const fill = useFill(options)
  /** The reader leaves the end, or the page scrolls to another place. */
  const leave = useCallback(() => {
    leaving.current = true
    moved.current = true
    follow(false)
    fill()
  }, [follow, fill])

  const onScroll = useCallback(
    (offset: number) => {
      const handle = list.current
      if (!handle) return
      const up = offset < lastOffset.current
      lastOffset.current = offset
      const near = offset + handle.viewportSize >= handle.scrollSize - NEAR_BOTTOM_PX
      if (up && !near) leaving.current = false
      const bottom = near && !newer && !leaving.current && !led.current
      const stick = bottom || (following.current && !(moved.current && up))
      if (bottom) moved.current = false
      else if (stick) scrollToEnd()
      follow(stick)
      fill()
    },
    [list, newer, following, led, follow, scrollToEnd, fill],
  )

  const keepUp = useCallback(() => {
    if (!following.current) return
    const { row, height } = pressed.current ?? {}
    if (row?.isConnected && row.offsetHeight - (height ?? 0) > NEAR_BOTTOM_PX) leave()
    else scrollToEnd()
  }, [following, leave, scrollToEnd])

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useLayoutEffect(keepUp, [rows, keepUp])

  // Older rows may leave the reader at the top, where no scroll event follows. Rows of another part of the log are only
  // on the way to the requested place.
  const shown = useRef(opened)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useEffect(() => {
    const elsewhere = shown.current !== opened
    shown.current = opened
    if (!elsewhere || following.current) fill()
  }, [rows, opened, fill])

  // Rows turn out to be higher, what stands below the list shrinks: no scroll tells it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is another list whenever it was opened elsewhere
  useEffect(() => {
    const scroller = scrollerIn(box.current)
    if (!scroller) return
    const observer = new ResizeObserver(() => {
      // Closing something may leave the reader at the end without a scroll event.
      if (!following.current && !newer && !leaving.current && !led.current && isAtEnd(scroller)) follow(true)
      keepUp()
    })
    for (const each of [scroller, ...scroller.children]) observer.observe(each)
    return () => observer.disconnect()
  }, [keepUp, opened, newer])

  const byReader = useCallback(() => {
    moved.current = true
    leaving.current = false
  }, [])
  // Rows that arrive before the browser has scrolled must not pull the reader back.
  const upwards = useCallback(() => {
    const handle = list.current
    if (following.current && handle && handle.scrollSize > handle.viewportSize) leave()
  }, [list, following, leave])
  const onWheel = useCallback(
    ({ deltaY, target, currentTarget }: WheelEvent) => {
      if (deltaY > 0) leaving.current = false
      else if (deltaY < 0 && !scrollsInside(target, currentTarget)) upwards()
    },
    [upwards],
  )
  const onKeyDown = useCallback(
    ({ key }: KeyboardEvent) => (['ArrowUp', 'PageUp', 'Home'].includes(key) ? upwards() : byReader()),
    [upwards, byReader],
  )
  const onClickCapture = useCallback(({ target }: MouseEvent) => {
    const button = (target as Element).closest('button, summary')
    const row = button?.closest<HTMLElement>('[role=log] > * > *')
    pressed.current = row ? { row, height: row.offsetHeight } : null
  }, [])
  const onReader = { onWheel, onKeyDown, onTouchMove: byReader, onPointerDown: byReader, onClickCapture }
  return { box, scrollTo, atBottom, onScroll, onReader, toTheEnd, leave }
}

function scrollerIn(box: HTMLElement | null): HTMLElement | null {
  return box?.querySelector<HTMLElement>('[role=log]') ?? null
}

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean =>
  scrollTop + clientHeight >= scrollHeight - NEAR_BOTTOM_PX

/** A box inside the list takes this turn of the wheel. */
function scrollsInside(target: EventTarget, outer: Element): boolean {
  for (let at = target as Element | null; at && at !== outer; at = at.parentElement) {
    if (at.role !== 'log' && at.scrollTop > 0) return true
  }
  return false
}
