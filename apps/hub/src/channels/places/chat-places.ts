/** Where a chat stands in a log when it enters or leaves a session. Pure. */
import type { RequestView } from '@roundhouse/backend-types'
import type { ChannelCardRow, LinkChange } from '../../core'
import { newCard } from './new-card'

/** It was told nothing of the next event. */
export const atRest = { part: 0, blockId: null, openMessage: null } satisfies LinkChange

/** From the event after this one on. */
export const startOf = (sessionId: string, head: number) =>
  ({ ...atRest, sessionId, startLike: null, seq: head }) satisfies LinkChange

export const outsideAnySession = { ...atRest, sessionId: null, startLike: null, seq: 0 } satisfies LinkChange

/** What waits for a person in a session that is entered. */
export const newCards = (linkId: string, requests: readonly RequestView[], now: number): ChannelCardRow[] =>
  requests.flatMap(({ ask, decision, outcome, sessionId }) =>
    outcome === 'open' && decision === null ? [newCard(linkId, sessionId, ask, now)] : [],
  )
