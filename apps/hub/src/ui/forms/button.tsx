import { clsx } from 'clsx'
import type { ButtonHTMLAttributes, ReactNode } from 'react'

type Look = 'solid' | 'soft' | 'plain' | 'danger'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  size?: 'sm' | 'md'
  icon?: ReactNode
}

const looks: Record<Look, string> = {
  solid: 'bg-accent text-accent-ink hover:brightness-110 border-transparent',
  soft: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  plain: 'bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-failed border-line-strong hover:bg-failed-soft',
}

export function Button({ look = 'soft', size = 'md', icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-50',
        size === 'sm' ? 'h-7 px-2.5 text-xs pointer-coarse:h-9' : 'h-8 px-3 text-sm pointer-coarse:h-10',
        looks[look],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
    </button>
  )
}
