/**
 * The only place that reads a body. The sender is known before: the body of an unauthenticated caller is at most 32 KiB,
 * arrives within 10 s, and takes no room from people. The nesting depth is known before parsing.
 */
import type { IncomingMessage } from 'node:http'
import { CodedError, type ErrorCode, proofHeaders } from '@roundhouse/backend-types'
import type { Context, MiddlewareHandler } from 'hono'
import { isProvenBody } from '../../auth/proofs'
import { clientNetwork, isTooDeepText } from '../../core'
import { BodyBudget } from './body-budget'

const KIB = 1_024
/** Of a route that anybody may call. */
const STRANGER_BYTES = 32 * KIB
const STRANGER_MS = 10_000
/** A prompt of 1 MiB, escaped. */
const PERSON_BYTES = 4_096 * KIB
const PERSON_MS = 60_000

/** Whose body it is: a person by the credential that the headers showed, or nobody yet. */
export type BodySender = { actor: { userId: string } } | null

interface Pools {
  strangers: BodyBudget
  people: BodyBudget
  addressHeader: string
}

const POOLS = 'bodyPools'

/** On every route of the API, ahead of those that read a body. */
export function receiveBodies(addressHeader: string): MiddlewareHandler {
  const strangers = new BodyBudget({ perSender: 256 * KIB, inAll: 4_096 * KIB })
  const people = new BodyBudget({ perSender: 4 * PERSON_BYTES, inAll: 16 * PERSON_BYTES })
  const pools: Pools = { strangers, people, addressHeader }
  return (c, next) => {
    c.set(POOLS, pools)
    return next()
  }
}

/** A JSON body. Throws `INVALID_ARGUMENT`, `FRAME_TOO_LARGE`, or `RATE_LIMITED` where it does not come or there is no room. */
export async function readBody(c: Context, sender: BodySender): Promise<unknown> {
  return parseBody(await readProven(c, sender, json(sender)))
}

/** A file of a person's, and what a larger one is called. */
export interface Upload {
  limit: number
  tooLarge: ErrorCode
}

export function readUpload(c: Context, sender: BodySender, upload: Upload): Promise<Uint8Array> {
  return readProven(c, sender, { ...upload, type: 'application/octet-stream' })
}

interface Expected extends Upload {
  type: string
}

const json = (sender: BodySender): Expected => ({
  type: 'application/json',
  limit: sender ? PERSON_BYTES : STRANGER_BYTES,
  tooLarge: 'FRAME_TOO_LARGE',
})

async function readProven(c: Context, sender: BodySender, expected: Expected): Promise<Uint8Array> {
  const bytes = await receiveBytes(c, sender, expected)
  // The headers were judged before: a proof of another body is none.
  if (!isProvenBody(bytes, [c.req.header(proofHeaders.login), c.req.header(proofHeaders.newKey)])) {
    throw new CodedError('AUTH_REQUIRED', 'The proof belongs to another body.')
  }
  return bytes
}

export const readBytes = (c: Context, sender: BodySender): Promise<Uint8Array> => receiveBytes(c, sender, json(sender))

async function receiveBytes(c: Context, sender: BodySender, expected: Expected): Promise<Uint8Array> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== expected.type) throw new CodedError('INVALID_ARGUMENT', `Send the body as ${expected.type}.`)
  const announced = Number(c.req.header('content-length') ?? 0)
  if (announced > expected.limit) throw new CodedError(expected.tooLarge)
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  if (incoming) return receive(c, incoming, { announced, sender })
  const whole = new Uint8Array(await c.req.arrayBuffer()) // no socket: a test
  if (whole.length > expected.limit) throw new CodedError(expected.tooLarge)
  return whole
}

function parseBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  if (isTooDeepText(text)) throw new CodedError('INVALID_ARGUMENT', 'The body is nested too deeply.')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'The body is not JSON.', undefined, cause)
  }
}

/** Its bytes count from now until the last has come, or it is cut off. */
async function receive(
  c: Context,
  incoming: IncomingMessage,
  { announced, sender }: { announced: number; sender: BodySender },
): Promise<Uint8Array> {
  const { strangers, people, addressHeader } = c.get(POOLS) as Pools
  const stop = new AbortController()
  const cut = (why: string) => stop.abort(new CodedError('RATE_LIMITED', why, { retryAfterSeconds: 1 }))
  const noRoom = () => cut('Too many bytes are being sent from here at once.')
  const release = sender
    ? people.reserve(sender.actor.userId, announced, noRoom)
    : strangers.reserve(clientNetwork(c.req.header(addressHeader) ?? ''), announced, noRoom)
  const timer = setTimeout(() => cut('The body did not come in time.'), sender ? PERSON_MS : STRANGER_MS)
  try {
    return await bytesOf(incoming, stop.signal)
  } finally {
    clearTimeout(timer)
    release()
  }
}

/** HTTP itself ends a body at its Content-Length. What is not read is discarded by the server, with the connection. */
function bytesOf(incoming: IncomingMessage, stop: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const settle = (then: () => void) => {
      incoming.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      stop.removeEventListener('abort', onStop)
      then()
    }
    const onData = (chunk: Buffer) => void chunks.push(chunk)
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)))
    const onGone = () => settle(() => reject(new CodedError('INVALID_ARGUMENT', 'The body is incomplete.')))
    const onStop = () => {
      incoming.pause()
      settle(() => reject(stop.reason))
    }
    if (stop.aborted) return reject(stop.reason)
    if (incoming.destroyed && !incoming.complete) return onGone()
    incoming.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
    stop.addEventListener('abort', onStop)
  })
}
