'use client'
/** The person's inbox, live for the whole page: the Inbox page, the count in the rail and the window's title read it. */
import type { Inbox } from '@roundhouse/backend-types'
import { InboxWatch } from '@roundhouse/hub-client'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { useHub } from './hub-provider'
import { outdate } from './outdate'
import { wasSignedIn } from './was-signed-in'

const InboxContext = createContext<Inbox | null>(null)

export function InboxProvider({ children }: { children: ReactNode }) {
  const hub = useHub()
  const queries = useQueryClient()
  const [inbox, setInbox] = useState<Inbox | null>(null)

  useEffect(() => {
    const watch = new InboxWatch(hub.rest, hub.socket, {
      onInbox: (inbox) => {
        wasSignedIn.note()
        setInbox(inbox)
      },
      onChange: () => void outdate(queries, ['sessions']),
      onAgents: () => void outdate(queries, ['agents']),
      onPeers: () => void outdate(queries, ['peers']),
      onWatching: () => {
        void outdate(queries, ['peers'])
        void outdate(queries, ['sessions'])
        void outdate(queries, ['agents'])
      },
    })
    return () => watch.close()
  }, [hub, queries])

  return <InboxContext value={inbox}>{children}</InboxContext>
}

/** `null` until the first answer. */
export function useInbox(): Inbox | null {
  return useContext(InboxContext)
}
