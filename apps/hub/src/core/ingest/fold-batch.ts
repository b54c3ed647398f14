/** Folds the new events of a batch in order: how each is stored, and what they change in the session. Pure. */
import { type EventEnvelope, lastSeqOf, type SessionEvent, type SoFar } from '@roundhouse/backend-types'
import {
  type ProjectionEffect,
  projectEvent,
  projectUnreadable,
  projectWithoutRoom,
  type SessionProjection,
  withSoFar,
} from '@roundhouse/delivery'
import { timeToShow } from '../common/time-to-show'
import type { AppendedEvent } from '../ports/stream/stream-change'
import type { ReadBatch } from './read-batch'
import { type ReadBody, tombstone, toStored } from './read-event'
import type { RequestRoom } from './request-room'

export interface FoldHow {
  clockOffsetMs: number
  now: number
  room: RequestRoom
  bodies: ReadBatch['bodies']
  soFar: SoFar | undefined
}

export function foldBatch(before: SessionProjection, envelopes: readonly EventEnvelope[], how: FoldHow) {
  const { clockOffsetMs, now, room, bodies, soFar } = how
  let projection = soFar && !before.settings ? withSoFar(before, soFar) : before
  const appended: AppendedEvent[] = []
  const known: Array<{ event: SessionEvent; seq: number }> = []
  const effects: ProjectionEffect[] = []
  const unreadable: Array<{ seq: number; code: string; path: string }> = []
  /** The time of the event before each request's event, by the number of that event. */
  const floors = new Map<number, number>()
  for (const envelope of envelopes) {
    const at = timeToShow(envelope.at - clockOffsetMs, projection.updatedAt, now)
    const body = withRoom(bodies.get(envelope), envelope, room)
    appended.push({ event: toStored(envelope, body, { at, now }), agentAt: envelope.at })
    if (body.kind === 'known') {
      if (body.event.kind === 'permission_requested') floors.set(envelope.seq, projection.updatedAt)
      const projected = projectEvent(projection, body.event, envelope.seq, at)
      projection = projected.projection
      if (soFar && isLoss(body.event)) projection = withSoFar(projection, soFar, before.seq)
      effects.push(...projected.effects)
      known.push({ event: body.event, seq: envelope.seq })
    } else {
      const unheard = bodies.get(envelope)
      const ask = unheard?.kind === 'known' && unheard.event.kind === 'permission_requested' ? unheard.event.ask : null
      projection = ask
        ? projectWithoutRoom(projection, ask.requestId, envelope.seq, at)
        : projectUnreadable(projection, lastSeqOf(envelope), at)
      if (body.kind === 'tombstone') unreadable.push({ seq: envelope.seq, code: body.code, path: body.path })
    }
  }
  return { projection, appended, known, effects, unreadable, floors }
}

/** REB-2: the content of the gap will never be reported, except for what the machine reports separately. */
const isLoss = (event: SessionEvent): boolean => event.kind === 'gap' && event.reason !== 'rebase'

/** A question too many has no effect, but its number. */
function withRoom(body: ReadBody | undefined, { body: text }: EventEnvelope, room: RequestRoom): ReadBody {
  if (!body) throw new Error('an event was not read before its transaction')
  if (body.kind !== 'known' || body.event.kind !== 'permission_requested') return body
  return room.takes(text.length) ? body : tombstone('TOO_MANY_REQUESTS')
}
