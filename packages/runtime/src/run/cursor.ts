/** A place among the events of a run, as a text for people who come back: `41`, or `41.1` for the second that event 41 said. */
import { CodedError } from '@roundhouse/backend-types'
import type { AgentLogEvent } from './agent-events'

export type RunPlace = Pick<AgentLogEvent, 'seq' | 'part'>

const form = /^(\d{1,16})(?:\.(\d{1,3}))?$/

export const cursorOf = ({ seq, part }: RunPlace): string => (part === 0 ? String(seq) : `${seq}.${part}`)

/** `INVALID_ARGUMENT` for what is none. */
export function readRunCursor(cursor: string): RunPlace {
  const [, seq, part = '0'] = form.exec(cursor) ?? []
  if (seq === undefined || !Number.isSafeInteger(Number(seq)))
    throw new CodedError('INVALID_ARGUMENT', 'This is no cursor of a run.', { field: 'after' })
  return { seq: Number(seq), part: Number(part) }
}

export const isAfter = (one: RunPlace, other: RunPlace): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.part > other.part)
