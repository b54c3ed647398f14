/** The open asks that somebody may see, with their peers. */
import type { InboxAsk } from '@roundhouse/backend-types'
import { type Actor, busRole } from '../../access/access'
import type { BusStore } from '../../ports/bus-store'
import { maySeePeer, sightOf } from '../reading/bus-sight'
import { type PeerBook, peerIdOf } from './peer-book'

/** The oldest first, at most so many. */
export async function asksSeen(
  { bus, book }: { bus: Pick<BusStore, 'asks'>; book: PeerBook },
  actor: Actor,
  most: number,
): Promise<InboxAsk[]> {
  const role = sightOf(actor, busRole(actor))
  if (!role) return []
  await book.ready()
  const asks = await bus.asks()
  const find = await book.recall([...asks.keys()])
  const seen = [...asks].flatMap(([peerId, open]) => {
    const peer = find(peerId)
    if (!peer || !maySeePeer({ actor, peerId: peerIdOf(actor), role }, peer)) return []
    const { kind, name } = peer
    return open.map((ask) => ({ peerId, kind, name, ask }))
  })
  return seen.sort((a, b) => a.ask.at - b.ask.at).slice(0, most)
}
