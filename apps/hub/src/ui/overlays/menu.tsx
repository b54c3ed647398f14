'use client'
/** A menu of actions: a button, and a list below it with the usual menu keys. */
import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { menuStep } from './menu-step'
import { Popover, type PopoverButtonProps } from './popover'

interface MenuProps {
  label: string
  button: (props: PopoverButtonProps) => ReactNode
  children: ReactNode
}

export function Menu({ label, button, children }: MenuProps) {
  return (
    <Popover kind="menu" label={label} button={button} onKeyDown={onKey} className="min-w-56 p-1">
      {children}
    </Popover>
  )
}

interface MenuItemProps {
  onSelect: () => void
  /** A thing that is on or off. */
  checked?: boolean
  disabled?: boolean
  danger?: boolean
  /** Why it is disabled. */
  reason?: string | null
  children: ReactNode
}

export function MenuItem({ onSelect, checked, disabled = false, danger = false, reason, children }: MenuItemProps) {
  return (
    <button
      type="button"
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemcheckbox', 'aria-checked': checked })}
      tabIndex={-1}
      disabled={disabled}
      onPointerEnter={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={(event) => {
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
        onSelect()
      }}
      className={clsx(
        'flex w-full items-center justify-between gap-4 rounded px-2.5 py-1.5 pointer-coarse:py-2.5 text-left text-sm outline-none focus:bg-sunken disabled:opacity-50',
        danger && 'text-failed',
      )}
    >
      {reason ? (
        <span className="max-w-64">
          {children}
          <span className="block text-xs">{reason}</span>
        </span>
      ) : (
        children
      )}
      {checked ? <Check className="size-4" aria-hidden /> : null}
    </button>
  )
}

export function MenuLine() {
  return <hr className="my-1 border-line border-t" />
}

function onKey(event: KeyboardEvent<HTMLDivElement>): void {
  if (event.key === 'Tab') event.currentTarget.hidePopover()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]:enabled')]
  const names = items.map((item) => item.textContent ?? '')
  const to = menuStep(names, items.indexOf(document.activeElement as HTMLElement), event.key)
  if (to === null) return
  event.preventDefault()
  event.stopPropagation()
  items[to]?.focus()
}
