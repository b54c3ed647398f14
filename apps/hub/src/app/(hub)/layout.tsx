import type { ReactNode } from 'react'
import { Shell } from '../../features/shell/shell'
import { HubProvider } from '../../live/hub-provider'
import { InboxProvider } from '../../live/inbox-provider'
import { AnnouncerProvider } from '../../ui/announcer'

export default function HubLayout({ children }: { children: ReactNode }) {
  return (
    <HubProvider>
      <InboxProvider>
        <AnnouncerProvider>
          <Shell>{children}</Shell>
        </AnnouncerProvider>
      </InboxProvider>
    </HubProvider>
  )
}
