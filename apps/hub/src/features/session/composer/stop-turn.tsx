'use client'
import { Square } from 'lucide-react'
import { Button } from '../../../ui/forms/button'
import { useStopKey } from './use-stop-key'

interface StopTurnProps {
  /** Why the program cannot stop a turn. */
  whyNot: string | undefined
  isStopping: boolean
  onStop: () => void
}

/** Ends the running turn, by a button or by `Esc Esc`. It gives way to a question above that offers the same. */
export function StopTurn({ whyNot, isStopping, onStop }: StopTurnProps) {
  useStopKey(whyNot === undefined, onStop)
  if (whyNot !== undefined) return <span className="px-1.5 text-ink-3 text-xs">{whyNot}</span>
  return (
    <Button
      size="sm"
      look="danger"
      className="in-[main:has([data-stops-turn])]:hidden"
      onClick={onStop}
      disabled={isStopping}
      title="Stop turn (Esc Esc)"
      icon={<Square className="size-3" aria-hidden />}
    >
      Stop turn
    </Button>
  )
}
