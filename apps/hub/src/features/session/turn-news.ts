/** The part of new events that a screen reader should read: the last text, or how the turn ended. Pure. */
import type { SeenEvent } from '@roundhouse/hub-client'
import { turnEndWords } from '../advice/turn-end-words'

const LONGEST = 300

export function turnNews(events: readonly SeenEvent[]): string | null {
  const parts: string[] = []
  const end = events.findLast(({ event }) => event?.kind === 'turn_completed')?.event
  const said = events.findLast(
    ({ event }) => event?.kind === 'assistant_text' && event.parentCallId === undefined,
  )?.event
  if (said?.kind === 'assistant_text') {
    const text = typeof said.text === 'string' ? said.text : said.text.head
    parts.push(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
  }
  if (end?.kind === 'turn_completed') {
    const { label, next } = turnEndWords(end)
    parts.push([`Turn: ${label}.`, next].filter(Boolean).join(' '))
  }
  return parts.length > 0 ? parts.join('\n') : null
}
