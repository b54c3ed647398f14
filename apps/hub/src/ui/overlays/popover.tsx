'use client'
/**
 * A box below its button, built on the platform's popover: it is above everything, closes with Escape and with a click
 * elsewhere, and returns the focus to the button.
 */
import { type KeyboardEvent, type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from 'react'

/** Goes onto the button. */
export interface PopoverButtonProps {
  popoverTarget: string
  'aria-expanded': boolean
  'aria-haspopup': 'menu' | 'dialog'
}

interface PopoverProps {
  kind: 'menu' | 'dialog'
  label: string
  button: (props: PopoverButtonProps) => ReactNode
  className: string
  onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void
  children: ReactNode
}

const GAP_PX = 4
const EDGE_PX = 8

export function Popover({ kind, label, button, className, onKeyDown, children }: PopoverProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (!open) return
    const close = () => box.current?.hidePopover()
    addEventListener('resize', close)
    return () => removeEventListener('resize', close)
  }, [open])

  function place({ newState }: ToggleEvent) {
    const rect = buttonOf(id)?.getBoundingClientRect()
    if (newState !== 'open' || !rect || !box.current) return
    box.current.style.top = `${rect.bottom + GAP_PX}px`
    box.current.style.right = `${Math.max(EDGE_PX, document.documentElement.clientWidth - rect.right)}px`
  }

  function toggled({ newState }: ToggleEvent) {
    setOpen(newState === 'open')
    if (newState === 'open') keepInside(box.current)
    if (newState === 'open') box.current?.querySelector<HTMLElement>('button:enabled')?.focus()
    else if (document.activeElement === document.body) buttonOf(id)?.focus()
  }

  // Closed it is nothing: what looks for an open menu or dialog by its role must not find it.
  const about = { ...(open ? { role: kind, 'aria-label': label } : {}), tabIndex: -1, onKeyDown }
  return (
    <>
      {button({ popoverTarget: id, 'aria-expanded': open, 'aria-haspopup': kind })}
      <div
        ref={box}
        id={id}
        popover="auto"
        {...about}
        onBeforeToggle={place}
        onToggle={toggled}
        className={`inset-auto rounded-lg border border-line bg-raised text-ink shadow-pop outline-none ${className}`}
      >
        {children}
      </div>
    </>
  )
}

const buttonOf = (id: string) => document.querySelector<HTMLElement>(`[popovertarget="${id}"]`)

/** A wide box below a button that is not at the edge of a phone. Its width is known once it is open. */
function keepInside(box: HTMLElement | null): void {
  const over = EDGE_PX - (box?.getBoundingClientRect().left ?? EDGE_PX)
  if (box && over > 0) box.style.right = `${Number.parseFloat(box.style.right) - over}px`
}
