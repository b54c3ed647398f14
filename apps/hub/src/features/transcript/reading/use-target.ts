/** Jumps to an event by its link (`#e-123`) anywhere in the log: the window moves around it first if necessary. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { VListHandle } from 'virtua'
import { type EventWindow, holds } from '../../../live/event-window'
import { rowIndexOf, type Transcript } from '../items/build-items'
import { eventOfHash } from '../items/event-link'
import { useAim } from './use-aim'

const MARKED_FOR_MS = 2_500

interface Target {
  seq: number
  /** The row is shown in the middle and highlighted for a moment. Otherwise the list only scrolls to it. */
  mark: boolean
}

interface TargetOptions {
  list: RefObject<VListHandle | null>
  scrollTo: (offset: number) => void
  transcript: Transcript
  window: EventWindow
  openAround: (seq: number) => Promise<boolean>
  /** Moves the reader away from the end. */
  leave: () => void
  /** This hook sets it: the page is scrolling to a place, so the list's present position is not the reader's choice. */
  led: RefObject<boolean>
  /** Where to go first, if the address does not say so. */
  first: number | null
}

export function useTarget({ list, scrollTo, transcript, window, openAround, leave, led, first }: TargetOptions) {
  const [target, setTarget] = useState<Target | null>(null)
  const [marked, setMarked] = useState<number | null>(null)
  const asked = useRef<Target | null>(null)
  const now = useRef(transcript)
  now.current = transcript
  const { aim, release } = useAim({ list, scrollTo, led, indexOf: (seq) => rowIndexOf(now.current, seq) + 1 })

  const goTo = useCallback(
    (seq: number, mark = true) => {
      leave()
      led.current = true
      setTarget({ seq, mark })
    },
    [leave, led],
  )

  useEffect(() => {
    const fromHash = () => {
      const seq = eventOfHash(location.hash)
      if (seq !== null) goTo(seq)
      return seq !== null
    }
    if (!fromHash() && first !== null) goTo(first, false)
    addEventListener('hashchange', fromHash)
    return () => removeEventListener('hashchange', fromHash)
  }, [goTo, first])

  useEffect(() => {
    if (!target || window.events.length === 0) return
    if (!holds(window, target.seq) && asked.current !== target) {
      asked.current = target
      void openAround(target.seq).then((done) => {
        if (done) return
        led.current = false
        setTarget(null)
      })
      return
    }
    if (!holds(window, target.seq) && target.seq <= window.head) return
    aim(target.seq, target.mark ? 'center' : 'start')
    if (target.mark) setMarked(transcript.items[rowIndexOf(transcript, target.seq)]?.seq ?? null)
    setTarget(null)
  }, [target, window, transcript, openAround, aim, led])

  useEffect(() => {
    if (marked === null) return
    const timer = setTimeout(() => setMarked(null), MARKED_FOR_MS)
    return () => clearTimeout(timer)
  }, [marked])

  return { marked, goTo, release }
}
