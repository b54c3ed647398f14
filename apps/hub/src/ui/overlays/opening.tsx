'use client'
/**
 * A placeholder for a dialog whose code is loading: it holds the keyboard, and says so if loading takes a while. Escape
 * cancels.
 */
import { useEffectEvent, useLayoutEffect } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../forms/button'
import { holdKeys } from '../keys/key-hold'

interface OpeningProps {
  /** The hub did not answer; it is asked again. */
  failing?: boolean
  onClose: () => void
}

export function Opening({ failing = false, onClose }: OpeningProps) {
  const close = useEffectEvent(onClose)
  useLayoutEffect(() => holdKeys(() => close()), [])
  return createPortal(
    <div
      role="dialog"
      aria-modal
      aria-label="Opening"
      className="pointer-events-auto fixed inset-0 z-50 grid place-items-center"
      // The focus stays where it was, so that the dialog can give it back.
      onMouseDown={(event) => event.preventDefault()}
    >
      <div className="flex animate-late items-center gap-4 rounded-xl border border-line bg-raised px-5 py-3 text-sm shadow-pop">
        <p role="status">{failing ? 'The hub cannot be reached. Trying again…' : 'Loading…'}</p>
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>,
    document.body,
  )
}
