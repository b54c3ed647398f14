import type { ReactNode } from 'react'
import { Shell } from '../../features/shell/shell'
import { HubProvider } from '../../live/hub-provider'
import { InboxProvider } from '../../live/inbox-provider'
import { OwnPages } from '../../live/own-pages'
import { AnnouncerProvider } from '../../ui/announcer'
import { Loading } from '../../ui/forms/notice'

export default function HubLayout({ children }: { children: ReactNode }) {
  return (
    <HubProvider>
      <InboxProvider>
        <AnnouncerProvider>
          <Shell>
            <OwnPages meanwhile={<Opening />}>{children}</OwnPages>
          </Shell>
        </AnnouncerProvider>
      </InboxProvider>
    </HubProvider>
  )
}

function Opening() {
  return (
    <main>
      <Loading>Opening…</Loading>
    </main>
  )
}
