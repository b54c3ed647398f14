/** The rows beside the events, as data, and the answer for each state of a command. */
import {
  CodedError,
  type CommandAnswer,
  ErrorBody,
  EventEnvelope,
  lastSeqOf,
  parseEventBody,
} from '@roundhouse/backend-types'
import { gapEvent } from '@roundhouse/delivery'
import { sha256 } from './serialize'

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
    default:
      throw new DamagedRow('a command has no state')
  }
}

export type EventRow = EventEnvelope & { to: number | null }

/**
 * Rows after that number as events. A gap replaces a row that lost a value. A row with a damaged number is in the wrong
 * place and is left out.
 */
export function eventsOf(after: number, rows: readonly EventRow[]): EventEnvelope[] {
  let last = after
  return rows.flatMap((row) => {
    const event = wholeOrGap(row)
    if (event.seq <= last) return []
    last = lastSeqOf(event)
    return [event]
  })
}

function wholeOrGap(row: EventRow): EventEnvelope {
  const { to, ...rest } = row
  const event = EventEnvelope.safeParse(to === null ? rest : row)
  if (event.success && isOwnRange(event.data)) return event.data
  return gapEvent({ from: row.seq, to: row.seq }, 'corrupt', Number.isSafeInteger(row.at) ? row.at : 0, sha256)
}

/** Only a gap has a range, and its text also names it. */
function isOwnRange({ kind, to, body }: EventEnvelope): boolean {
  if (kind !== 'gap') return to === undefined
  const gap = parseEventBody(body)
  return gap?.kind === 'gap' && gap.to === to
}

/** A row beside the events differs from what was written: the log is damaged, although its pages agree. */
export class DamagedRow extends Error {
  readonly code = 'SQLITE_CORRUPT_ROW'
}

/** The columns that every row must have. The others may be null. */
export function requireWhole<Row extends object>(row: Row, texts: readonly (keyof Row & string)[]): Row {
  const lost = texts.find((name) => typeof row[name] !== 'string')
  if (lost !== undefined) throw new DamagedRow(`a row lost its ${lost}`)
  return row
}
