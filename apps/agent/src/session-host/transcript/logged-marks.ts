/** Reads from the log what is needed to compare a conversation with its transcript (RES-6, RES-9). */
import { lastSeqOf, parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { serializeEvent } from '../../log/serialize'
import type { LogStatements } from '../../log/statements'
import type { Mark } from './marks'
import { markOfEvent, type RecoverableOutput } from './recovered'

/** How many events of a log are compared; they include what people still look at. */
const COMPARED_EVENTS = 50_000
const PAGE = 500

export interface LoggedConversation {
  marks: Mark[]
  /** The log has its very beginning, so content that it lacks was never said here. */
  isWhole: boolean
}

/**
 * Marks of the conversation that continues under this id, from the turn in which it began. If a running program
 * replaced another conversation with it, the prompt that caused that belongs to the other one.
 */
export function loggedConversation(rows: LogStatements, backendSessionId: string, after = 0): LoggedConversation {
  let marks: Mark[] = []
  let isWhole = false
  let turnStart = 0
  let procId: string | undefined
  for (const event of lastEvents(rows, after)) {
    if (event.kind === 'turn_started') turnStart = marks.length
    if (event.kind === 'session_started') {
      if (!event.resumed && event.backendSessionId === backendSessionId) {
        marks = event.procId !== undefined && event.procId === procId ? [] : marks.slice(turnStart)
        turnStart = 0
        isWhole = true
      }
      procId = event.procId
    }
    const mark = markOfEvent(event)
    if (mark) marks.push(mark)
  }
  return { marks, isWhole }
}

export function* lastEvents(rows: LogStatements, begin = 0): Generator<SessionEvent> {
  for (let after = Math.max(begin, rows.head() - COMPARED_EVENTS); ; ) {
    const page = rows.eventsAfter(after, PAGE)
    for (const { body } of page) {
      const event = parseEventBody(body)
      if (event !== null && event.kind !== 'tombstone' && event.kind !== 'opaque') yield event
    }
    const last = page.at(-1)
    if (!last) return
    after = lastSeqOf(last)
  }
}

/** One output that no log can take must not keep out the others. */
export function isWritable(output: RecoverableOutput): boolean {
  try {
    serializeEvent(
      { ...output, recovered: true },
      (text) => ({ text, count: 0 }),
      () => null,
    )
    return true
  } catch (error) {
    console.error('an output of the transcript cannot be logged', error)
    return false
  }
}
