'use client'
import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { late } from '../../../../ui/overlays/late'
import { setFields } from './more-draft'
import type { MoreFieldsProps } from './more-fields'

const MoreFields = late(() => import('./more-fields').then((module) => module.MoreFields))

interface MoreSectionProps extends MoreFieldsProps {
  open: boolean
  onToggle: (open: boolean) => void
  /** Counts the refusals: after each one, the first field that is wrong gets the focus. */
  refusals: number
}

/** Rarely needed settings, folded until they are asked for. Their code loads then. */
export function MoreSection({ open, onToggle, refusals, ...fields }: MoreSectionProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const set = [...setFields(fields.draft, fields.backend), ...(fields.budget === '' ? [] : ['Starts other sessions'])]
  useEffect(() => {
    if (refusals === 0 || !box.current) return
    const focus = () => {
      const wrong = box.current?.querySelector<HTMLElement>('[aria-invalid]')
      wrong?.focus()
      return wrong !== undefined && wrong !== null
    }
    if (focus()) return
    // The fields may have to load first.
    const watch = new MutationObserver(() => {
      if (focus()) watch.disconnect()
    })
    watch.observe(box.current, { childList: true, subtree: true })
    return () => watch.disconnect()
  }, [refusals])
  return (
    <div ref={box}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => onToggle(!open)}
        className="flex w-full items-baseline gap-1 rounded-md py-1 pointer-coarse:py-2.5 text-left font-medium text-ink-2 text-sm hover:text-ink"
      >
        <ChevronRight
          className={`size-4 shrink-0 self-center transition-transform duration-150 ${open ? 'rotate-90' : ''}`}
          aria-hidden
        />
        More
        {!open && set.length > 0 ? (
          <span className="min-w-0 truncate font-normal text-ink-3 text-xs">{set.join(', ')}</span>
        ) : null}
      </button>
      <div id={id} hidden={!open} className="mt-2 border-line border-l-2 pl-4 max-sm:border-0 max-sm:pl-0">
        {open ? <MoreFields {...fields} /> : null}
      </div>
    </div>
  )
}
