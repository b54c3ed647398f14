'use client'
import { CircleUser, Ellipsis, Keyboard, LogOut, Moon, Rows3, SquarePen, Sun } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type ReactNode, useMemo, useState } from 'react'
import { useHub, useLinkState } from '../../live/hub-provider'
import { useInbox } from '../../live/inbox-provider'
import { useMe } from '../../live/use-me'
import { Mark } from '../../ui/mark'
import { late } from '../../ui/overlays/late'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { toggleDensity, toggleTheme } from '../../ui/theme'
import { signOut } from '../auth/sign-out'
import { ConnectionIndicator } from '../connection/connection-indicator'
import { NewSessionDialog } from '../sessions/new-session/new-session'
import type { PaletteProps } from './palette'
import { Place } from './place'
import { places, type ShellPlace } from './places'
import type { ShellAction } from './shell-actions'
import type { StorageProps } from './storage-banner'
import { useGoKeys } from './use-go-keys'
import { useListKeys } from './use-list-keys'
import { usePromptNews } from './use-prompt-news'
import { useShellKeys } from './use-shell-keys'
import { useStorage } from './use-storage'
import { useTabCounter } from './use-tab-counter'

const Palette = lateDialog<PaletteProps>(() => import('./palette').then((module) => module.Palette))
const Shortcuts = lateDialog<{ onClose: () => void }>(() => import('./shortcuts').then((module) => module.Shortcuts))
const StorageBanner = late<StorageProps>(() => import('./storage-banner').then((module) => module.StorageBanner))
const MoreSheet = lateDialog<PaletteProps>(() => import('./more-sheet').then((module) => module.MoreSheet))

const forEverybody = places.filter(({ requires }) => requires === undefined)

/** The frame of every page for signed-in people: a rail on wide screens, a bar at the bottom on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const router = useRouter()
  const hub = useHub()
  const inbox = useInbox()
  const link = useLinkState()
  const waiting = inbox ? inbox.requests.filter(({ decision }) => decision === null).length + inbox.asks.length : 0
  const may = useMe()?.may
  const forMe = useMemo(() => places.filter(({ requires }) => requires && may?.includes(requires)), [may])
  const [overlay, setOverlay] = useState<'new' | 'palette' | 'shortcuts' | 'more' | null>(null)
  const close = () => setOverlay(null)
  useGoKeys()
  useListKeys()
  useShellKeys(setOverlay)
  useTabCounter(waiting)
  usePromptNews(inbox)
  const storage = useStorage()

  const own = useMemo<ShellAction[]>(
    () => [
      { label: 'Light / Dark', icon: Sun, act: toggleTheme },
      { label: 'Compact / Comfortable', icon: Rows3, act: toggleDensity },
      { label: 'Keyboard shortcuts', icon: Keyboard, act: () => setOverlay('shortcuts') },
      ...forMe.map((place) => opening(place, router)),
      { label: 'Your account', icon: CircleUser, act: () => router.push('/account') },
      { label: 'Sign out', icon: LogOut, act: () => void signOut(hub) },
    ],
    [forMe, hub, router],
  )
  const all = useMemo<ShellAction[]>(
    () => [
      { label: 'New session', icon: SquarePen, act: () => setOverlay('new') },
      ...forEverybody.map((place) => opening(place, router)),
      ...own,
    ],
    [own, router],
  )

  return (
    <div className="flex h-dvh flex-col-reverse md:flex-row one-scroll:h-auto one-scroll:min-h-dvh">
      <nav
        aria-label="Main"
        className="flex shrink-0 items-stretch border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:w-52 md:flex-col md:border-t-0 md:border-r md:p-3 md:pb-3"
      >
        <Link href="/" className="mb-3 hidden items-center gap-2 rounded-md px-2 py-1.5 md:flex">
          <Mark className="size-5 text-accent" />
          <span className="font-semibold tracking-tight">Roundhouse</span>
        </Link>
        <ul className="flex flex-3 md:flex-1 md:flex-col md:gap-0.5">
          {forEverybody.map((place) => (
            <Place key={place.href} {...place} count={place.href === '/' ? waiting : 0} />
          ))}
          {forMe.map((place) => (
            <Place key={place.href} {...place} count={0} className="hidden md:block" />
          ))}
        </ul>
        <button
          type="button"
          onClick={() => setOverlay('more')}
          className="flex flex-1 flex-col items-center gap-0.5 px-2 py-2 text-ink-2 text-xs md:hidden"
        >
          <Ellipsis className="size-5" aria-hidden />
          More
        </button>
        <div className="hidden flex-col gap-1 md:flex">
          <ConnectionIndicator />
          <div className="flex">
            <RailButton label="Light / Dark" onClick={toggleTheme}>
              <Sun className="size-4 dark-only" aria-hidden />
              <Moon className="size-4 light-only" aria-hidden />
            </RailButton>
            <RailButton label="Compact / Comfortable" onClick={toggleDensity}>
              <Rows3 className="size-4" aria-hidden />
            </RailButton>
            <RailButton label="Keyboard shortcuts (?)" onClick={() => setOverlay('shortcuts')}>
              <Keyboard className="size-4" aria-hidden />
            </RailButton>
            <RailButton label="Your account" onClick={() => router.push('/account')}>
              <CircleUser className="size-4" aria-hidden />
            </RailButton>
            <RailButton label="Sign out" onClick={() => void signOut(hub)}>
              <LogOut className="size-4" aria-hidden />
            </RailButton>
          </div>
        </div>
      </nav>
      {link.state === 'live' || link.state === 'connecting' ? null : (
        <div className="flex justify-center border-line border-t bg-needs-soft py-1 md:hidden">
          <ConnectionIndicator />
        </div>
      )}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {storage === 'ok' ? null : <StorageBanner state={storage} />}
        {children}
      </div>
      <NewSessionDialog open={overlay === 'new'} onClose={close} />
      {overlay === 'shortcuts' ? <Shortcuts onClose={close} /> : null}
      {overlay === 'palette' ? <Palette actions={all} onClose={close} /> : null}
      {overlay === 'more' ? <MoreSheet actions={own} onClose={close} /> : null}
    </div>
  )
}

function opening({ href, label, icon }: ShellPlace, router: { push: (href: string) => void }): ShellAction {
  return { label, icon, act: () => router.push(href) }
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
