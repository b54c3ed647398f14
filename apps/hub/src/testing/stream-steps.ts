/** What tests write by the event stream, without a decision of the hub's. */
import type { NewSession } from '../core/ports/session-store'
import type { Operation } from '../core/ports/stream/stream-change'
import { envelope } from './fake-agent'
import { text } from './scenario'

/** For `StreamWriter.change`, whatever was loaded. */
export const changing =
  (...change: Operation[]) =>
  () => ({ change, answer: null })

export const inserted = (row: NewSession): Operation => ({ op: 'session.insert', row })

export function appended(sessionId: string, from: number, count: number, words = 'x'): Operation {
  const events = Array.from({ length: count }, (_, index) => ({
    event: { ...envelope(text(words), from + index), storedAt: 1 },
    agentAt: 1,
  }))
  return { op: 'events.append', sessionId, events }
}
