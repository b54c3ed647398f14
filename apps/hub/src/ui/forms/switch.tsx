import { clsx } from 'clsx'

interface SwitchProps {
  on: boolean
  onToggle: (on: boolean) => void
  title?: string
  children: string
}

/** Turns one thing on and off, at once. */
export function Switch({ on, onToggle, title, children }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      title={title}
      onClick={() => onToggle(!on)}
      className={clsx(
        'flex h-7 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-md px-1.5 text-xs hover:text-ink',
        on ? 'font-medium text-accent' : 'text-ink-3',
      )}
    >
      <span
        aria-hidden
        className={clsx('flex h-3.5 w-6 rounded-full p-0.5', on ? 'justify-end bg-accent' : 'bg-line-strong')}
      >
        <span className="size-2.5 rounded-full bg-surface" />
      </span>
      {children}
    </button>
  )
}
