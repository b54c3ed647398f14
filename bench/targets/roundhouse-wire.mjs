// Shared by the Roundhouse target and its agents: calls, signatures, events.
import crypto from 'node:crypto'
import { req } from '../lib/http.mjs'
import { text } from '../lib/util.mjs'

export const challengeOf = (hubUrl, agentId) =>
  call(
    `${hubUrl}/api/v1/agent/challenge`,
    'POST',
    { ...(agentId ? { agentId } : {}), agentNonce: crypto.randomBytes(24).toString('base64url') },
    {},
  )

export async function call(url, method, body, headers) {
  const answer = await req(url, { method, body, headers })
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.buf.toString().slice(0, 300)}`)
  return answer.json()
}

export const sign = (key, message) => crypto.sign(null, Buffer.from(message), key).toString('base64url')
export const sha256 = (body) => crypto.createHash('sha256').update(body).digest('hex')

/** The body of one event: as JSON `bytes` long, its number readable in the block id. */
export function eventBody(n, bytes) {
  const event = { kind: 'assistant_text', blockId: `b${n}`, text: '' }
  event.text = text(bytes - JSON.stringify(event).length, n)
  return JSON.stringify(event)
}

export function numberOf(event) {
  const match = /"blockId":"b(\d+)"/.exec(event.body)
  return match ? Number(match[1]) : 0
}
