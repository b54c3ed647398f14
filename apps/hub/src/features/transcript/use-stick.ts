/**
 * Where the reader of a growing list is: at its end, and then it follows; or somewhere above, and then nothing moves. Only
 * the reader leaves the end: rows that come faster than the list follows, and heights that turn out otherwise, do not.
 * Near the top older rows are asked for, until there are some or none are left.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, type WheelEvent } from 'react'
import type { VListHandle } from 'virtua'

const NEAR_BOTTOM_PX = 80
const NEAR_TOP_PX = 600
/** A jump upwards of this much is no correction of heights: a program scrolled, for the reader. */
const JUMP_PX = 200
const RETRY_MS = 1_000

/** `loadOlder`: false when it could not be done now. */
export function useStick(
  list: RefObject<VListHandle | null>,
  rows: readonly unknown[],
  more: boolean,
  loadOlder: () => Promise<boolean>,
) {
  const [atBottom, setAtBottom] = useState(true)
  const [seenRows, setSeenRows] = useState(rows.length)
  const sticking = useRef(true)
  /** The reader did something that scrolls, since the list was at its end. */
  const moved = useRef(false)
  const lastOffset = useRef(0)
  const length = useRef(rows.length)
  length.current = rows.length

  const toTheEnd = useCallback(() => list.current?.scrollToIndex(length.current + 1, { align: 'end' }), [list])
  const fillTop = useFillTop(list, sticking, more, loadOlder)

  const onScroll = useCallback(
    (offset: number) => {
      const handle = list.current
      if (!handle) return
      const bottom = offset + handle.viewportSize >= handle.scrollSize - NEAR_BOTTOM_PX
      const jumped = offset < lastOffset.current - JUMP_PX
      lastOffset.current = offset
      sticking.current = bottom || (sticking.current && !moved.current && !jumped)
      if (bottom) moved.current = false
      else if (sticking.current) toTheEnd()
      setAtBottom(sticking.current)
      fillTop()
    },
    [list, toTheEnd, fillTop],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useLayoutEffect(() => {
    if (!sticking.current) return
    toTheEnd()
    setSeenRows(length.current)
  }, [rows, toTheEnd])

  // Rows that came in front may leave the reader at the top, where nothing scrolls any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useEffect(fillTop, [rows, fillTop])

  const byReader = useCallback(() => {
    moved.current = true
  }, [])
  const onWheel = useCallback(({ deltaY }: WheelEvent) => {
    if (deltaY < 0) moved.current = true
  }, [])
  const onReader = { onWheel, onTouchMove: byReader, onKeyDown: byReader, onPointerDown: byReader }
  return { atBottom, missed: Math.max(0, rows.length - seenRows), onScroll, onReader, toTheEnd }
}

/** Asks for older rows while the reader is near the top. */
function useFillTop(
  list: RefObject<VListHandle | null>,
  sticking: RefObject<boolean>,
  more: boolean,
  loadOlder: () => Promise<boolean>,
) {
  const retry = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const fill = useRef(() => {})
  fill.current = () => {
    clearTimeout(retry.current)
    const handle = list.current
    if (!more || !handle || handle.scrollOffset >= NEAR_TOP_PX) return
    // Whoever follows the end reads on there, unless that is all there is to see.
    if (sticking.current && handle.scrollSize > handle.viewportSize) return
    void loadOlder().then((done) => {
      if (!done) retry.current = setTimeout(() => fill.current(), RETRY_MS)
    })
  }
  useEffect(() => () => clearTimeout(retry.current), [])
  return useCallback(() => fill.current(), [])
}
