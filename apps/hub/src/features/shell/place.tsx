'use client'
import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'

interface PlaceProps {
  href: string
  label: string
  icon: LucideIcon
  /** Opens it after `g`. */
  letter: string
  /** How many items wait there for the person. */
  count: number
  className?: string
}

/** A page in the rail, or in the bar of a phone. */
export function Place({ href, label, icon: Icon, letter, count, className }: PlaceProps) {
  const path = usePathname()
  const here = href === '/' ? path === '/' : path.startsWith(href)
  return (
    <li className={clsx('flex-1 md:flex-none', className)}>
      <Link
        href={href}
        aria-current={here ? 'page' : undefined}
        title={`${label} (g ${letter})`}
        className={clsx(
          'flex flex-col items-center gap-0.5 px-2 py-2 text-xs transition-colors duration-150 md:flex-row md:gap-2 md:rounded-md md:py-1.5 md:text-sm',
          here ? 'font-medium text-ink md:bg-sunken' : 'text-ink-2 hover:text-ink md:hover:bg-sunken',
        )}
      >
        <span className="relative">
          <Icon className="size-5 md:size-4" aria-hidden />
          {count > 0 ? <CountBadge count={count} className="-top-1.5 left-3 absolute md:hidden" /> : null}
        </span>
        {label}
        {count > 0 ? <CountBadge count={count} className="ml-auto hidden md:block" /> : null}
      </Link>
    </li>
  )
}

function CountBadge({ count, className }: { count: number; className: string }) {
  return (
    <span
      className={clsx(
        'rounded-full bg-needs-soft px-1.5 font-medium text-needs text-xs tabular-nums leading-4',
        className,
      )}
    >
      {count}
      <span className="sr-only"> waiting for you</span>
    </span>
  )
}
