'use client'
/** The command palette: pages, sessions by name, and the shell's actions. Loads when it is first opened. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useRouter } from 'next/navigation'
import { Dialog } from 'radix-ui'
import { useDeferredValue, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { useOpener } from '../../ui/overlays/use-opener'
import { StatusBadge } from '../../ui/status-badge'
import { describeStatus } from '../sessions/describe-status'
import { markedRow } from './marked-row'
import type { ShellAction } from './shell-actions'

export interface PaletteProps {
  actions: readonly ShellAction[]
  onClose: () => void
}

export function Palette({ actions, onClose }: PaletteProps) {
  const hub = useHub()
  const router = useRouter()
  const now = useNow()
  const giveBack = useOpener(true)
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const { data } = useQuery({
    queryKey: ['sessions', 'palette', wanted],
    queryFn: () => hub.rest.sessions({ limit: 8, ...(wanted ? { text: wanted } : {}) }),
    placeholderData: keepPreviousData,
  })
  const sessions = data?.items ?? []
  const shown = actions.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
  const [marked, setMarked] = useState<string>()
  const rows = [...sessions.map(({ sessionId }) => sessionId), ...shown.map(({ label }) => label)]
  const run = (act: () => void) => {
    onClose()
    act()
  }
  const row =
    'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 text-sm data-[selected=true]:bg-sunken [&_svg]:size-4 [&_svg]:text-ink-3'
  const heading =
    '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3'
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveBack}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-xl overflow-hidden rounded-xl border border-line bg-raised shadow-pop"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Command
            shouldFilter={false}
            loop
            label="Command palette"
            value={markedRow(rows, marked)}
            onValueChange={setMarked}
          >
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Search sessions, pages and commands"
              className="h-11 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[50dvh] overflow-y-auto p-1.5">
              <Command.Empty className="px-2.5 py-6 text-center text-ink-3 text-sm">No results.</Command.Empty>
              {sessions.length > 0 ? (
                <Command.Group heading="Sessions" className={heading}>
                  {sessions.map((session) => {
                    const status = describeStatus(session, now)
                    return (
                      <Command.Item
                        key={session.sessionId}
                        value={session.sessionId}
                        onSelect={() => run(() => router.push(`/sessions/${session.sessionId}`))}
                        className={row}
                      >
                        <span className="min-w-0 flex-1 truncate">{session.title}</span>
                        <StatusBadge tone={status.tone} label={status.label} />
                      </Command.Item>
                    )
                  })}
                </Command.Group>
              ) : null}
              {shown.length > 0 ? (
                <Command.Group heading="Commands" className={heading}>
                  {shown.map(({ label, icon: Icon, act }) => (
                    <Command.Item key={label} value={label} onSelect={() => run(act)} className={row}>
                      <Icon aria-hidden />
                      {label}
                    </Command.Item>
                  ))}
                </Command.Group>
              ) : null}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
