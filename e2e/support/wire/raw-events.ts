/** Hand-written events in the format of an agent. */
import { createHash } from 'node:crypto'

export function envelope(event: { kind: string; [field: string]: unknown }, change: object = {}) {
  const body = JSON.stringify(event)
  const hash = createHash('sha256').update(body).digest('hex')
  return { seq: 1, kind: event.kind, v: 1, at: Date.now(), hash, body, ...change }
}

export const says = (text: string, seq: number) => envelope({ kind: 'assistant_text', text }, { seq })

/** A state of a session with a running turn, newer than any before it. */
export const runningState = (sessionId: string, change: object = {}) => ({
  sessionId,
  leaseToken: 1,
  rev: 1,
  atSeq: 0,
  status: { status: 'running' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
  ...change,
})
