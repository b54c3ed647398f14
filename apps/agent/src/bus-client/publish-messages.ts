/**
 * The command `publish message`: messages with a token to a hub, in lots. Each has an id, so a lot whose answer did not arrive is sent
 * again and counts once. One that came too fast is sent again after the time that the hub names.
 */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { BUS_VERSION, busRoutes, CodedError, errorTable, type Published, toCodedError } from '@roundhouse/backend-types'
import { callRoute, postWithin } from '../identity/hub-http'
import { type AskedAccess, type HubAccess, readAccess } from './hub-access'
import { pauseBefore } from './pause-before'

type Message = Record<string, unknown> & { id: unknown }

const AT_ONCE = 100
const ANSWER_MS = 20_000
/** A hub that restarts is back by then. */
const PATIENCE_MS = 60_000

type Asked = AskedAccess & { input: string | null }

/** Prints one line for each message, in their order. False: the hub refused one. */
export async function publishMessages(
  asked: Asked,
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<boolean> {
  const access = readAccess(asked, env)
  const messages = asked.input === null ? linesOf(await text(process.stdin)) : [readMessage(asked.input)]
  let isTaken = true
  for (let at = 0; at < messages.length; at += AT_ONCE) {
    const lot = messages.slice(at, at + AT_ONCE)
    const results = await publishLot(access, lot)
    for (const [i, result] of results.entries()) {
      say(JSON.stringify({ id: lot[i]?.id, ...result }))
      isTaken &&= result.ok
    }
  }
  return isTaken
}

async function publishLot(access: HubAccess, lot: Message[]): Promise<Published[]> {
  const until = Date.now() + PATIENCE_MS
  const results: Published[] = []
  let left = [...lot.keys()]
  while (left.length > 0) {
    const answered = await send(
      access,
      left.flatMap((i) => lot[i] ?? []),
      until,
    )
    for (const [n, i] of left.entries()) {
      const result = answered[n]
      if (!result) throw new CodedError('MALFORMED_FRAME', 'The hub answered fewer messages than it was sent.')
      results[i] = result
    }
    const waits = left.flatMap((i) => waitOf(results[i]) ?? [])
    const longest = Math.max(0, ...waits)
    if (waits.length === 0 || Date.now() + longest > until) break
    left = left.filter((i) => waitOf(results[i]) !== null)
    await sleep(longest)
  }
  return results
}

/** Null: the answer is final. */
function waitOf(result: Published | undefined): number | null {
  if (!result || result.ok || result.error.code !== 'RATE_LIMITED') return null
  const { retryAfterMs } = result.error.details ?? {}
  return typeof retryAfterMs === 'number' ? retryAfterMs : 1_000
}

async function send({ hubUrl, token }: HubAccess, messages: Message[], until: number): Promise<Published[]> {
  for (let failures = 0; ; failures += 1) {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() }
    try {
      const post = postWithin(ANSWER_MS, headers)
      return (await callRoute(post, hubUrl, busRoutes.publishMessages, { messages })).results
    } catch (thrown) {
      const error = toCodedError(thrown)
      const pauseMs = pauseBefore(failures, Math.random())
      if (!errorTable[error.code].retryable || Date.now() + pauseMs > until) throw error
      await sleep(pauseMs)
    }
  }
}

const linesOf = (given: string): Message[] =>
  given.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readMessage(line)]))

/** What is missing of the envelope and always the same is filled in. The hub judges the rest. */
function readMessage(json: string): Message {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'A message must be JSON, one in a line.', undefined, cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CodedError('INVALID_ARGUMENT', 'A message must be an object of JSON, one in a line.')
  return { v: BUS_VERSION, id: randomUUID(), ...value }
}
