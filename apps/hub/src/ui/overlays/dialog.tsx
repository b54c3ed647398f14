'use client'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useOpener } from './use-opener'

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  children: ReactNode
}

export function Dialog({ open, onOpenChange, title, description, children }: DialogProps) {
  const giveBack = useOpener(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          className="fixed inset-x-0 bottom-0 z-50 max-h-[90dvh] scroll-pb-20 overflow-y-auto rounded-t-xl border border-line bg-raised p-5 shadow-pop sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-full sm:max-w-lg sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-xl"
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={giveBack}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div className="min-w-0">
              <Radix.Title className="font-semibold text-base">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="mt-0.5 text-ink-2 text-sm [overflow-wrap:anywhere]">
                  {description}
                </Radix.Description>
              ) : null}
            </div>
            <Radix.Close
              aria-label="Close"
              className="-m-1 pointer-coarse:-m-2.5 rounded-md p-2 pointer-coarse:p-3.5 text-ink-3 hover:bg-sunken hover:text-ink"
            >
              <X className="size-4" aria-hidden />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The first field; on touch nothing, since a keyboard would cover the half of it. */
function focusFirstField(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement) || matchMedia('(pointer: coarse)').matches) return
  const field = event.currentTarget.querySelector<HTMLElement>('input, select, textarea')
  if (!field) return
  event.preventDefault()
  field.focus()
}
