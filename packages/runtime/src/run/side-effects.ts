/**
 * What a program sent through the tools of Roundhouse, from the log of its session: each call is one event. Whether the hub
 * refused a call is no event, so whoever knows it says it. Pure.
 */
import { type McpMessageTarget, type McpSideEffects, OWN_SERVER, type SessionEventOf } from '@roundhouse/backend-types'

export interface Sent {
  /** Of the call. */
  readonly id: string
  readonly target: McpMessageTarget
  readonly text: string
}

/** Of all texts together, in UTF-16 units. Later ones are left out. */
const MOST_TEXT = 1_048_576

/** Null for what sends nothing. */
export function sentBy(event: SessionEventOf<'published'> | SessionEventOf<'session_request'>): Sent | null {
  if (event.kind === 'published') {
    const { id, topic, schema, data } = event
    const [tool, field] = published[schema] ?? ['publish_event', 'message']
    return { id, target: { tool, provider: OWN_SERVER, to: topic }, text: wordsAt(data, field) }
  }
  const { requestId: id, verb, input } = event
  if (verb === 'spawn')
    return { id, target: { tool: 'spawn_session', provider: OWN_SERVER }, text: wordsAt(input, 'prompt') }
  if (verb !== 'send') return null
  const to = wordsAt(input, 'sessionId')
  return {
    id,
    target: { tool: 'send_message', provider: OWN_SERVER, ...(to ? { to } : {}) },
    text: wordsAt(input, 'text'),
  }
}

/** By its schema: the tool, and the field in which people read it. */
const published: Readonly<Record<string, readonly [tool: string, field: string]>> = {
  'worker-event-v1': ['publish_event', 'message'],
  'worker-phase-v1': ['publish_phase', 'transition_reason'],
  'worker-complete-v1': ['complete', 'summary'],
}

/** `refused`: the ids of calls that were answered with an error. */
export function sideEffectsOf(sent: readonly Sent[], refused: ReadonlySet<string> = new Set()): McpSideEffects {
  const done = sent.filter(({ id }) => !refused.has(id))
  let room = MOST_TEXT
  const sentTexts = done.flatMap(({ text }) => {
    room -= text.length
    return text === '' || room < 0 ? [] : [text]
  })
  return { sentTexts, sentMediaUrls: [], sentTargets: done.map(({ target }) => target), cronAdds: 0 }
}

const wordsAt = (record: Readonly<Record<string, unknown>>, field: string): string => {
  const value = record[field]
  return typeof value === 'string' ? value : ''
}
