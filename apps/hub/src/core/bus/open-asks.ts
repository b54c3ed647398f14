/**
 * What workers wait for (BUS-12). A BLOCKED or REQUEST opens it. An answer that names it closes it, as does the next phase or the
 * completion of its worker, and the end of its life. Pure.
 */
import type { BusData } from '@roundhouse/backend-types'
import { askingKinds, eventDetails, readTopic } from '@roundhouse/bus'
import type { AskStep } from '../ports/bus-store'

/** A message that the hub accepted. */
export interface Accepted {
  topic: string
  schema: string
  data: BusData
  correlationId: string | null
  storedAt: number
}

const moves: readonly string[] = ['worker-phase-v1', 'worker-complete-v1']
const answers: readonly string[] = ['cmd-approve-v1', 'cmd-reject-v1', 'cmd-set-phase-v1', 'cmd-inject-text-v1']

/** Null: it changes nothing that somebody waits for. */
export function askStepOf(message: Accepted): AskStep | null {
  const { schema, data, storedAt } = message
  const topic = readTopic(message.topic)
  if (topic?.space === 'cmd') return answers.includes(schema) ? answered(topic.peerId, message) : null
  if (topic?.space !== 'worker') return null
  const { peerId } = topic
  if (moves.includes(schema)) return closeAll(peerId)
  if (schema !== 'worker-event-v1' || !askingKinds.includes(String(data.kind))) return null
  const { kind, request_id, message: text } = eventDetails(data)
  const ask = {
    requestId: String(request_id),
    kind: kind as 'BLOCKED' | 'REQUEST',
    message: String(text),
    at: storedAt,
  }
  return { step: 'open', peerId, ask }
}

/** A phase that is set, or text, may answer without naming what: then it answers everything. */
function answered(peerId: string, { schema, data, correlationId }: Accepted): AskStep | null {
  const named = typeof data.correlation_id === 'string' ? data.correlation_id : correlationId
  if (named === null && schema !== 'cmd-set-phase-v1' && schema !== 'cmd-inject-text-v1') return null
  return { step: 'close', peerId, requestId: named }
}

export const closeAll = (peerId: string): AskStep => ({ step: 'close', peerId, requestId: null })

export const askStepsOf = (messages: readonly Accepted[]): AskStep[] =>
  messages.flatMap((message) => askStepOf(message) ?? [])
