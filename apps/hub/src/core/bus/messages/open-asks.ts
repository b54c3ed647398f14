/**
 * What workers wait for (BUS-12). A BLOCKED or REQUEST opens it. The next phase or the completion of its worker closes it, as does the
 * end of its life, and an answer that the worker gets. Pure.
 */
import type { AskAnswer, BusData } from '@roundhouse/backend-types'
import { askingKinds, eventDetails, offeredOptions, readTopic } from '@roundhouse/bus'
import type { AskStep } from '../../ports/ask-store'
import type { NewBusRow } from '../../ports/bus-store'

/** A message that the hub accepted. */
export type Accepted = Pick<
  NewBusRow,
  'topic' | 'schema' | 'data' | 'correlationId' | 'storedAt' | 'sessionId' | 'fromPeer'
>

const moves: readonly string[] = ['worker-phase-v1', 'worker-complete-v1']

const decisions: Readonly<Record<string, AskAnswer['decision']>> = {
  'cmd-approve-v1': 'approve',
  'cmd-reject-v1': 'reject',
  'cmd-set-phase-v1': 'set_phase',
  'cmd-inject-text-v1': 'inject_text',
}

/** Null: it changes nothing that somebody waits for. `by`: the name of whoever published it, as the hub knows it. */
export function askStepOf(message: Accepted, by: string): AskStep | null {
  const { schema, data, storedAt } = message
  const topic = readTopic(message.topic)
  if (topic?.space === 'cmd') {
    // A program reads its own messages. A session is told by its host, which says what became of that.
    const requestId = namedAsk(message)
    if (message.sessionId === topic.peerId || requestId === null) return null
    const answer = commandAnswer(message, by)
    return answer && { step: 'answered', peerId: topic.peerId, requestId, answer, commandId: null }
  }
  if (topic?.space !== 'worker') return null
  const { peerId } = topic
  if (moves.includes(schema)) return { step: 'moved', peerId, at: storedAt }
  if (schema !== 'worker-event-v1' || !askingKinds.includes(String(data.kind))) return null
  const details = eventDetails(data)
  const ask = {
    requestId: String(details.request_id),
    kind: details.kind as 'BLOCKED' | 'REQUEST',
    message: String(details.message),
    options: offeredOptions(details),
    at: storedAt,
  }
  return { step: 'open', peerId, ask }
}

/** Null: the command answers nothing. */
export function commandAnswer(
  { schema, fromPeer, storedAt }: Pick<Accepted, 'schema' | 'fromPeer' | 'storedAt'>,
  by: string,
): AskAnswer | null {
  const decision = decisions[schema]
  return decision === undefined ? null : { decision, by, peerId: fromPeer, at: storedAt }
}

/** Which ask a command names: in its data, else in its envelope. Null: none. */
export function namedAsk({ data, correlationId }: { data: BusData; correlationId: string | null }): string | null {
  return typeof data.correlation_id === 'string' ? data.correlation_id : correlationId
}
