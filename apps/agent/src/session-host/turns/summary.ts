/** Summarises the last part of what was said in a session: context for a fresh conversation of the backend (RES-5). */
import { parseEventBody } from '@roundhouse/backend-types'
import type { SessionLog } from '../../log/session-log'

const LAST_EVENTS = 2_000
const LIMIT_CHARS = 12_000

export function summaryOf(log: SessionLog): string {
  const lines = log.rows.eventsAfter(Math.max(0, log.head - LAST_EVENTS), LAST_EVENTS).flatMap(({ kind, body }) => {
    if (kind !== 'user_message' && kind !== 'assistant_text') return []
    const event = parseEventBody(body)
    if (event?.kind !== 'user_message' && event?.kind !== 'assistant_text') return []
    const text = typeof event.text === 'string' ? event.text : event.text.head
    return [`${event.kind === 'user_message' ? 'Person' : 'You'}: ${text || '(images)'}`]
  })
  if (lines.length === 0) return ''
  return `# Earlier conversation, which you do not remember\n\n${lines.join('\n\n').slice(-LIMIT_CHARS)}`
}
