'use client'
import type { PeerView } from '@roundhouse/backend-types'
import { Section } from '../../ui/page'
import { AskCard } from './ask-card'

/** All asks of these peers, in the order in which they came. */
export function OpenAsks({ peers }: { peers: readonly PeerView[] }) {
  const asks = peers.flatMap((peer) => peer.asks.map((ask) => ({ peer, ask })))
  asks.sort((a, b) => a.ask.at - b.ask.at)
  if (asks.length === 0) return null
  return (
    <Section title="Programs ask" count={asks.length}>
      <ul className="space-y-3 outline-none" data-focus-group tabIndex={-1}>
        {asks.map(({ peer, ask }) => (
          <li key={`${peer.peerId} ${ask.requestId}`}>
            <AskCard peer={peer} ask={ask} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
