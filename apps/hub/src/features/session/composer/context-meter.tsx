'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useState } from 'react'
import { shortCount } from '../../../ui/text/short-count'
import { LateContextDialog } from './context/late-context'

/** Shows how much of the model's context window is in use, and opens what is known of it. */
export function ContextMeter({ view }: { view: SessionView }) {
  const [open, setOpen] = useState(false)
  const usage = view.contextUsage
  if (!usage || usage.total === 0) return null
  const shown = `${shortCount(usage.used)}/${shortCount(usage.total)}`
  const share = Math.min(1, usage.used / usage.total)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`Context: ${shown} tokens used`}
        title={`Context: ${usage.used.toLocaleString()} of ${usage.total.toLocaleString()} tokens, ${Math.round(share * 100)}%`}
        className={clsx(
          'flex h-7 items-center gap-1.5 rounded-md px-1.5 pointer-coarse:h-9 text-xs tabular-nums hover:bg-sunken hover:text-ink',
          share > 0.8 ? 'text-needs' : 'text-ink-3',
        )}
      >
        <svg viewBox="0 0 16 16" className="size-3.5 -rotate-90" aria-hidden="true">
          <circle cx="8" cy="8" r="6" fill="none" strokeWidth="3" className="stroke-line-strong" />
          <circle
            cx="8"
            cy="8"
            r="6"
            fill="none"
            stroke="currentColor"
            strokeWidth="3"
            pathLength="100"
            strokeDasharray={`${share * 100} 100`}
          />
        </svg>
        <span className="max-md:hidden">{shown}</span>
      </button>
      {open ? <LateContextDialog view={view} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
