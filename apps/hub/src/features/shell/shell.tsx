'use client'
import { clsx } from 'clsx'
import { Inbox as InboxIcon, ListTree, LogOut, type LucideIcon, Moon, Server, Sun } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect } from 'react'
import { useInbox } from '../../live/inbox-provider'
import { Mark } from '../../ui/mark'
import { toggleTheme } from '../../ui/theme'
import { signOut } from '../auth/sign-in'
import { ConnectionIndicator } from './connection-indicator'
import { useGoKeys } from './use-go-keys'

const places: Array<{ href: string; label: string; icon: LucideIcon; keys: string }> = [
  { href: '/', label: 'Inbox', icon: InboxIcon, keys: 'g i' },
  { href: '/sessions', label: 'Sessions', icon: ListTree, keys: 'g s' },
  { href: '/agents', label: 'Agents', icon: Server, keys: 'g a' },
]

/** The frame of every page behind the login: a rail on wide screens, a bar at the bottom on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const waiting = useInbox()?.requests.length ?? 0
  useGoKeys()
  useEffect(() => {
    document.title = document.title.replace(/^\(\d+\) /, '')
    if (waiting > 0) document.title = `(${waiting}) ${document.title}`
  }, [waiting])

  return (
    <div className="flex h-dvh flex-col-reverse md:flex-row">
      <nav
        aria-label="Main"
        className="flex shrink-0 items-stretch border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:w-52 md:flex-col md:border-t-0 md:border-r md:p-3 md:pb-3"
      >
        <Link href="/" className="mb-3 hidden items-center gap-2 rounded-md px-2 py-1.5 md:flex">
          <Mark className="size-5 text-accent" />
          <span className="font-semibold tracking-tight">Roundhouse</span>
        </Link>
        <ul className="flex flex-1 md:flex-col md:gap-0.5">
          {places.map((place) => (
            <Place key={place.href} {...place} count={place.href === '/' ? waiting : 0} />
          ))}
        </ul>
        <div className="hidden items-center justify-between gap-1 md:flex">
          <ConnectionIndicator />
          <div className="flex">
            <RailButton label="Switch between light and dark" onClick={toggleTheme}>
              <Sun className="size-4 dark-only" aria-hidden />
              <Moon className="size-4 light-only" aria-hidden />
            </RailButton>
            <RailButton label="Sign out" onClick={() => void signOut()}>
              <LogOut className="size-4" aria-hidden />
            </RailButton>
          </div>
        </div>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{children}</div>
    </div>
  )
}

function Place({ href, label, icon: Icon, keys, count }: (typeof places)[number] & { count: number }) {
  const path = usePathname()
  const here = href === '/' ? path === '/' : path.startsWith(href)
  return (
    <li className="flex-1 md:flex-none">
      <Link
        href={href}
        aria-current={here ? 'page' : undefined}
        title={`${label} (${keys})`}
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

function RailButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="rounded-md p-1.5 text-ink-3 hover:bg-sunken hover:text-ink"
    >
      {children}
    </button>
  )
}
