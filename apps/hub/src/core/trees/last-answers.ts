/** The last answers of a session, in so many characters as one answer of a tool may have (TREE-2.6). */
import { parseEventBody, type StoredEvent } from '@roundhouse/backend-types'
import type { EventStore } from '../ports/event-store'

const MOST_CHARS = 24_000
const PAGE = { maxEvents: 400, maxBytes: 2 * 1_048_576 }

export interface Said {
  /** Text of another program. */
  answers: Array<{ seq: number; text: string; cut?: true }>
  /** For the next `after`. */
  next: number
}

export async function lastAnswers(
  events: Pick<EventStore, 'after' | 'before'>,
  sessionId: string,
  after?: number,
): Promise<Said> {
  const page =
    after === undefined
      ? await events.before(sessionId, Number.MAX_SAFE_INTEGER, PAGE)
      : await events.after(sessionId, after, PAGE)
  const said = page.flatMap((event) => answerOf(event) ?? [])
  return after === undefined
    ? { answers: newest(said), next: page.at(-1)?.seq ?? 0 }
    : oldest(said, page.at(-1)?.seq ?? after)
}

type One = Said['answers'][number]

function answerOf({ seq, body }: StoredEvent): One | null {
  const event = parseEventBody(body)
  if (event?.kind !== 'assistant_text' || event.parentCallId !== undefined) return null
  const text = typeof event.text === 'string' ? event.text : `${event.text.head}…`
  return text === '' ? null : { seq, text }
}

const cut = (one: One, chars: number): One =>
  one.text.length <= chars ? one : { ...one, text: one.text.slice(0, chars), cut: true }

function newest(said: readonly One[]): One[] {
  let left = MOST_CHARS
  const kept: One[] = []
  for (const one of said.toReversed()) {
    if (left <= 0) break
    kept.unshift(cut(one, left))
    left -= one.text.length
  }
  return kept
}

/** Goes on after the last that fitted. */
function oldest(said: readonly One[], last: number): Said {
  let left = MOST_CHARS
  const answers: One[] = []
  for (const one of said) {
    if (left <= 0) return { answers, next: answers.at(-1)?.seq ?? last }
    answers.push(cut(one, left))
    left -= one.text.length
  }
  return { answers, next: last }
}
