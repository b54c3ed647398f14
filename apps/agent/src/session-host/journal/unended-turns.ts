/**
 * Ends turns that the log began and never ended: a host of an earlier version could not write an end with invalid
 * figures. Each such turn gets an end (LOG-7) when no turn is open any more. Checked events are not read again.
 */
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import type { Journal } from './journal'

/** Every turn up to this number has its end. */
const endedToKey = 'turnsEndedTo'

export async function endTurns(journal: Journal): Promise<void> {
  const { log, projection } = journal
  const after = Number(log.rows.meta(endedToKey) ?? 0)
  if (projection.turnId !== null || log.lastSeq <= after) return
  const ends = unendedTurns(log.rows.bodiesOf(['turn_started', 'turn_completed', 'gap'], after)).map(endOf)
  await journal.record(ends, { meta: { [endedToKey]: String(log.lastSeq + ends.length) } })
}

type Started = Extract<SessionEvent, { kind: 'turn_started' }>

/** Nothing from before a gap is open (REB-1). */
export function unendedTurns(bodies: readonly string[]): Started[] {
  const open = new Map<string, Started>()
  for (const body of bodies) {
    const event = parseEventBody(body)
    if (event?.kind === 'turn_started') open.set(event.turnId, event)
    else if (event?.kind === 'turn_completed') open.delete(event.turnId)
    else if (event?.kind === 'gap') open.clear()
  }
  return [...open.values()]
}

/** Nobody knows how the turn ended. */
function endOf({ turnId, commandId }: Started): SessionEvent {
  const cause = commandId === undefined ? {} : { commandId }
  return { kind: 'turn_completed', turnId, ...cause, reason: 'outcome_unknown' }
}
