import type { ContextUsage } from '@roundhouse/backend-types'
import { clsx } from 'clsx'

/** How much of the model's window the conversation fills. */
export function ContextMeter({ usage }: { usage: ContextUsage | undefined }) {
  if (!usage || usage.total === 0) return null
  const share = Math.min(1, usage.used / usage.total)
  const tenths = Math.round(share * 10)
  return (
    <span
      role="img"
      aria-label={`Context: ${Math.round(share * 100)} % used`}
      title={`${usage.used.toLocaleString()} of ${usage.total.toLocaleString()} tokens`}
      className="flex items-center gap-1.5 text-ink-3 text-xs tabular-nums"
    >
      <span className="flex gap-px" aria-hidden>
        {[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((step) => (
          <span
            key={step}
            className={clsx(
              'h-2.5 w-1 rounded-[1px]',
              step <= tenths ? (share > 0.8 ? 'bg-needs' : 'bg-ink-3') : 'bg-line',
            )}
          />
        ))}
      </span>
      {Math.round(share * 100)}%
    </span>
  )
}
