import type { ReactNode } from 'react'
import { Shell } from '../../features/shell/shell'
import { HubProvider } from '../../live/hub-provider'
import { InboxProvider } from '../../live/inbox-provider'

export default function HubLayout({ children }: { children: ReactNode }) {
  return (
    <HubProvider>
      <InboxProvider>
        <Shell>{children}</Shell>
      </InboxProvider>
    </HubProvider>
  )
}
