/** Messages of the bus, over REST. */
import type { busRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import type { Handlers } from './handlers'

export function busHandlers({ bus, asks }: Pick<SessionServices, 'bus' | 'asks'>): Handlers<keyof typeof busRoutes> {
  return {
    publishMessages: ({ actor, body }) => bus.publish(actor, body.messages),
    listMessages: ({ actor, query }) => bus.page(actor, query),
    listPeers: ({ actor }) => bus.peers(actor),
    getAsk: ({ actor, id }) => asks.find(actor, id.peerId, id.requestId),
    answerAsk: ({ actor, id, body, key }) => asks.answer(actor, id.peerId, id.requestId, body, key),
  }
}
