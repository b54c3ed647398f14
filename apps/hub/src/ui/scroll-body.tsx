'use client'
import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'

/** About three lines: fewer are not worth scrolling for. */
const MOST_TO_BORROW_PX = 64

/**
 * How much more room a box takes that has already taken `lent` and still hides `hidden`: all that it needs, or none. Pure.
 */
export function roomToBorrow(lent: number, hidden: number): number {
  const needed = lent + hidden
  return needed > MOST_TO_BORROW_PX ? 0 : needed
}

/** The least height of a card that needs more. */
const CARD_PX = 288
/** Some lines, where much stands around them. */
const LINES_PX = 96
/** A card with more around its body than this leaves scrolls as a whole. */
const MOST_CARD_PX = 448

/** The least height of a card: `rest` stands around its body, which would take `content` to be whole. Pure. */
export function leastHeight(rest: number, content: number): number {
  return Math.min(rest + content, Math.max(CARD_PX, Math.min(rest + LINES_PX, MOST_CARD_PX)))
}

interface ScrollBodyProps {
  className?: string
  /** Told at every look whether something lies below the edge. */
  onMore?: (more: boolean) => void
  /** How many pieces in it hide a part of themselves. While one does, room would not make it whole. */
  folded?: number
  children: ReactNode
}

/**
 * A box that scrolls and says so: while content is hidden below its edge, a line says so and scrolls there. If only little
 * is hidden, the box takes the room from its surroundings, and nothing scrolls. The card around it learns its least height
 * (`--least-height`), which is never more than its content needs.
 */
export function ScrollBody({ className, onMore, folded = 0, children }: ScrollBodyProps) {
  const box = useRef<HTMLDivElement>(null)
  const [more, setMore] = useState(false)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight > 8
      setMore(below)
      onMore?.(below)
    }
    const frame = element.parentElement
    const card = frame?.parentElement
    const parts = [...(card?.children ?? [])].filter((part) => part instanceof HTMLElement)
    const measure = () => {
      if (!frame || !card) return
      const around = parts.filter((part) => part !== frame).map((part) => part.offsetHeight)
      const rest = around.reduce((sum, height) => sum + height, card.offsetHeight - card.clientHeight)
      frame.style.setProperty('--content-height', `${element.scrollHeight}px`)
      card.style.setProperty('--least-height', `${leastHeight(rest, element.scrollHeight)}px`)
    }
    const lender = element.closest<HTMLElement>('[data-lends-room]')
    let lent = 0
    /** What the box held, and in which window, when what it borrowed was not enough. */
    let refused = ''
    const lend = (pixels: number) => {
      lent = pixels
      lender?.style.setProperty('--lent-room', `${pixels}px`)
    }
    // At a change of size alone: room that did not reach the box changes nothing, and is not asked for again.
    const observer = new ResizeObserver(() => {
      measure()
      const state = `${element.scrollHeight} ${window.innerHeight}`
      const hidden = element.scrollHeight - element.clientHeight
      const needed = folded > 0 || state === refused ? 0 : roomToBorrow(lent, hidden)
      if (needed === 0 && lent > 0 && hidden > 0) refused = state
      if (needed !== lent) lend(needed)
      look()
    })
    for (const each of [element, ...element.children, ...parts]) observer.observe(each)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      lender?.style.removeProperty('--lent-room')
      element.removeEventListener('scroll', look)
    }
  }, [onMore, folded])
  return (
    <div className="relative flex min-h-[min(6rem,var(--content-height,6rem))] grow flex-col">
      <div ref={box} data-scroll-body className={clsx('min-h-0 overflow-y-auto', className)}>
        <div>{children}</div>
      </div>
      {more ? (
        <button
          type="button"
          onClick={() => readOn(box.current)}
          className="absolute inset-x-0 bottom-0 flex items-center justify-center gap-1 bg-linear-to-t from-65% from-surface to-transparent pt-4 pb-1 font-medium text-ink-2 text-xs hover:text-ink"
        >
          <ChevronDown className="size-3.5" aria-hidden />
          More below
        </button>
      ) : null}
    </div>
  )
}

const PAGE = 0.8
const LINE_PX = 40

/** Scrolls on by most of what is seen. */
const readOn = (box: Element | null) => box?.scrollBy({ top: box.clientHeight * PAGE, behavior: 'smooth' })

/** The box that scrolls inside of `outer`, from where no key reaches it. */
const bodyIn = (outer: Element | null) => outer?.querySelector('[data-scroll-body]') ?? null

const isAtEnd = (box: Element) => box.scrollTop + box.clientHeight >= box.scrollHeight - 2

/** At the end, what comes next is inside a fold (`data-unfolds`): that is opened. */
export function readOnIn(outer: Element | null): void {
  const box = bodyIn(outer)
  const fold = box && isAtEnd(box) ? box.querySelector<HTMLElement>('[data-unfolds]') : null
  if (fold) fold.click()
  else readOn(box)
}

/** For what holds the focus around the box: the keys that scroll a page scroll the box. False: it is no such key. */
export function scrollByKey(outer: Element, { key, shiftKey }: { key: string; shiftKey: boolean }): boolean {
  const box = bodyIn(outer)
  if (!box) return false
  const page = box.clientHeight * PAGE
  const steps: Record<string, number> = {
    ArrowDown: LINE_PX,
    ArrowUp: -LINE_PX,
    PageDown: page,
    PageUp: -page,
    ' ': shiftKey ? -page : page,
    End: box.scrollHeight,
    Home: -box.scrollHeight,
  }
  const top = steps[key]
  if (top !== undefined) box.scrollBy({ top })
  return top !== undefined
}
