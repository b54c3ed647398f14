import { clsx } from 'clsx'

export type BadgeTone = 'working' | 'needs' | 'failed' | 'done' | 'quiet'

const tones: Record<BadgeTone, string> = {
  working: 'bg-working-soft text-working',
  needs: 'bg-needs-soft text-needs',
  failed: 'bg-failed-soft text-failed',
  done: 'bg-done-soft text-done',
  quiet: 'bg-sunken text-ink-2',
}

export function StatusBadge({ tone, label, className }: { tone: BadgeTone; label: string; className?: string }) {
  return (
    <span
      data-tone={tone}
      className={clsx(
        'inline-flex h-5 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 font-medium text-xs',
        tones[tone],
        className,
      )}
    >
      {tone === 'working' ? <span className="size-1.5 animate-pulse rounded-full bg-current" aria-hidden /> : null}
      {label}
    </span>
  )
}
