import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** Preformatted text in a region that scrolls by keyboard too. */
export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={clsx(
        'overflow-auto whitespace-pre-wrap break-words rounded-md border border-line px-3 py-2 font-mono text-xs leading-5',
        className,
      )}
    >
      {children}
    </div>
  )
}
