/**
 * Records which turns began and ended and which requests were resolved, with their numbers. A log that loses its end
 * must neither report these twice nor leave them open (LOG-7, PERM-1). How much of it the hub has is known once the hub
 * reports its position (REB-1). Pure.
 */
import {
  EVENT_VERSION,
  type EventEnvelope,
  lastSeqOf,
  parseEventBody,
  type SessionEvent,
} from '@roundhouse/backend-types'
import { gapReasonOf, moveEvent, type RebaseOrder } from '@roundhouse/delivery'
import { z } from 'zod'
import { sha256 } from '../../log/serialize'

const Place = z.object({ seq: z.number().int(), hash: z.string() })
type Place = z.infer<typeof Place>

export const Landmarks = z.object({
  version: z.literal(1),
  turns: z.array(
    z.object({ turnId: z.string(), began: Place.optional(), ended: Place.extend({ body: z.string() }).optional() }),
  ),
  requests: z.array(z.object({ requestId: z.string(), resolved: Place })),
})
export type Landmarks = z.infer<typeof Landmarks>

export const noLandmarks: Landmarks = { version: 1, turns: [], requests: [] }

const MOST_TURNS = 100
const MOST_REQUESTS = 300

/** The first note counts, because a turn ends once. Returns the same object if nothing changes. */
export function note(known: Landmarks, events: readonly EventEnvelope[]): Landmarks {
  let { turns, requests } = known
  for (const { kind, seq, hash, body } of events) {
    if (kind !== 'turn_started' && kind !== 'turn_completed' && kind !== 'permission_resolved') continue
    const event = parseEventBody(body)
    const place = { seq, hash }
    if (event?.kind === 'turn_started') turns = withTurn(turns, event.turnId, { began: place })
    if (event?.kind === 'turn_completed') turns = withTurn(turns, event.turnId, { ended: { ...place, body } })
    if (event?.kind === 'permission_resolved' && !requests.some(({ requestId }) => requestId === event.requestId))
      requests = [...requests, { requestId: event.requestId, resolved: place }].slice(-MOST_REQUESTS)
  }
  return turns === known.turns && requests === known.requests ? known : { ...known, turns, requests }
}

type Turn = Landmarks['turns'][number]

function withTurn(turns: readonly Turn[], turnId: string, more: Partial<Turn>): Turn[] {
  const found = turns.find((turn) => turn.turnId === turnId)
  if (!found) return [...turns, { turnId, ...more }].slice(-MOST_TURNS)
  return turns.map((turn) => (turn === found ? { ...more, ...turn } : turn))
}

/** The end of a turn as written before the loss, or as it must have been. */
export function endOf({ turns }: Landmarks, turnId: string): SessionEvent | null {
  const body = turns.find((turn) => turn.turnId === turnId)?.ended?.body
  const event = body === undefined ? null : parseEventBody(body)
  return event?.kind === 'turn_completed' ? event : null
}

/** The ends of turns that are missing in a lost log, except those that the hub has acked. */
export function missingEnds(known: Landmarks, inLog: ReadonlySet<string>, acked: number): SessionEvent[] {
  return known.turns
    .filter(({ turnId, ended }) => !inLog.has(turnId) && (ended === undefined || ended.seq > acked))
    .map(({ turnId }) => endOf(known, turnId) ?? { kind: 'turn_completed', turnId, reason: 'process_exited' })
}

const keyOf = ({ seq, hash }: Place): string => `${seq} ${hash}`

/**
 * `events` are about to move behind the gap. The result leaves out events that close what the hub saw closed under
 * numbers that this log lost, events that close what the hub never saw, and events of which nobody can tell whether the
 * hub has them: a reported loss is better than a repeated event (RES-6). The same holds for turns made elsewhere
 * (RES-9), which a restored log knows only from the backend's transcript.
 */
export function withoutTold(known: Landmarks, events: readonly EventEnvelope[], order: RebaseOrder): EventEnvelope[] {
  const [first] = events
  const isDone = first && first.seq === order.to + 1 && gapReasonOf(first) === 'rebase'
  if (isDone || order.to <= order.held) return [...events]
  const own = new Set(events.map(keyOf))
  const isTold = (place: Place | undefined) => place !== undefined && place.seq <= order.to && !own.has(keyOf(place))
  const isUnheard = (place: Place | undefined) => place !== undefined && place.seq > order.to && !own.has(keyOf(place))
  const elsewhere = new Set<string>()
  let untold = false
  let before = true
  const kept = events.flatMap((envelope): EventEnvelope[] => {
    const event = parseEventBody(envelope.body)
    switch (event?.kind) {
      case undefined:
        return [envelope]
      case 'turn_started':
        if (event.elsewhere) elsewhere.add(event.turnId)
        else before = false
        break
      case 'turn_completed': {
        if (elsewhere.has(event.turnId)) return []
        const turn = known.turns.find(({ turnId }) => turnId === event.turnId)
        return isTold(turn?.ended) || isUnheard(turn?.began) ? [] : [envelope]
      }
      case 'permission_resolved':
        return isTold(known.requests.find(({ requestId }) => requestId === event.requestId)?.resolved) ? [] : [envelope]
      case 'tool_result':
        if (before && event.interrupted) return []
        break
    }
    if (!event || !('recovered' in event) || event.recovered !== true) return [envelope]
    const turnId = 'turnId' in event ? event.turnId : undefined
    const isElsewhere = turnId !== undefined && elsewhere.has(turnId)
    if (!before && !isElsewhere) return [envelope]
    if (untold) return []
    untold = true
    return [untoldNote(envelope, isElsewhere ? undefined : turnId)]
  })
  return renumbered(kept, first?.seq ?? order.held + 1)
}

function untoldNote(at: EventEnvelope, turnId: string | undefined): EventEnvelope {
  const message =
    'What the program did unseen in this turn is not repeated here: the log had lost its end, and the hub may have it.'
  const event: SessionEvent = {
    kind: 'system',
    ...(turnId === undefined ? {} : { turnId }),
    subtype: 'transcript_untold',
    data: { message },
  }
  const body = JSON.stringify(event)
  return { seq: at.seq, kind: event.kind, v: EVENT_VERSION, at: at.at, hash: sha256(body), body }
}

function renumbered(events: readonly EventEnvelope[], first: number): EventEnvelope[] {
  let next = first
  return events.map((event) => {
    const moved = moveEvent(event, next - event.seq, sha256)
    next = lastSeqOf(moved) + 1
    return moved
  })
}

/** `before`: the log's own events after `held`. `moved`: those of them that remain, at their new place. */
export function afterRebase(
  known: Landmarks,
  { to }: RebaseOrder,
  before: readonly EventEnvelope[],
  moved: readonly EventEnvelope[],
): Landmarks {
  const own = new Set(before.map(keyOf))
  const stays = (place: Place | undefined) => place !== undefined && place.seq <= to && !own.has(keyOf(place))
  const turns = known.turns.flatMap(({ turnId, began, ended }): Turn[] => {
    const left = { ...(stays(began) ? { began } : {}), ...(stays(ended) ? { ended } : {}) }
    return Object.keys(left).length > 0 ? [{ turnId, ...left }] : []
  })
  const requests = known.requests.filter(({ resolved }) => stays(resolved))
  return note({ ...known, turns, requests }, moved)
}
