/** The rows beside the events, as data, and how the state of a command reads as an answer. */
import { CodedError, type CommandAnswer, ErrorBody, type EventEnvelope } from '@roundhouse/backend-types'

/**
 *   accepted -> started -> done | refused | outcome_unknown
 *       \-> cancelled | refused
 *
 * `accepted`: on disk, nothing done yet. `started`: it may have had an effect, and is never run again (CMD-3).
 */
export type InboxState = 'accepted' | 'started' | 'done' | 'refused' | 'cancelled' | 'outcome_unknown'

export function answerOfRow(row: { state: InboxState; answer: string | null }): CommandAnswer {
  switch (row.state) {
    case 'accepted':
    case 'started':
      return { state: 'accepted' }
    case 'done':
    case 'cancelled':
    case 'outcome_unknown':
      return { state: row.state }
    case 'refused': {
      const error = ErrorBody.safeParse(row.answer === null ? null : JSON.parse(row.answer))
      return { state: 'refused', error: error.success ? error.data : new CodedError('INTERNAL').toBody() }
    }
  }
}

export function toEnvelope(row: EventEnvelope & { to: number | null }): EventEnvelope {
  const { to, ...envelope } = row
  return to === null ? envelope : { ...envelope, to }
}
