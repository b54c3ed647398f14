/**
 * Sends to addresses that people named (A37, A38). With the identity provider's discovery, this is the only room of the hub that opens
 * connections. Each request has a connection of its own, so that each is judged; no proxy of the environment is asked, no redirect is
 * followed, and of an answer only its status counts.
 */
import type { Outbound, OutboundOutcome, OutboundRequest } from '../core'
import { failureOf } from './failure-of'
import { guardedConnector } from './guarded-connector'
import { urlRefusal } from './judge-url'
import { Lookups, type Resolve } from './lookups'
import { Networks } from './networks'
import { retryAfterOf } from './retry-after'

export interface OutboundOptions {
  /** Networks that the operator allows beside public addresses. Throws `INVALID_ARGUMENT`. */
  allow: readonly string[]
  now?: () => number
  resolve?: Resolve
  connectMs?: number
  answerMs?: number
}

/** For the name, the connection and TLS together. */
const CONNECT_MS = 5_000
/** From the beginning to the status. */
const ANSWER_MS = 15_000
/** Of a body so much is read, for so long, and dropped: a receiver shall not find its answer cut. */
const BODY_BYTES = 16_384
const BODY_MS = 1_000

export function createOutbound(options: OutboundOptions): Outbound {
  const { allow, now = Date.now, resolve, connectMs = CONNECT_MS, answerMs = ANSWER_MS } = options
  const networks = new Networks(allow)
  const lookups = new Lookups(resolve, { patienceMs: connectMs })

  const post = async ({ url, headers, body }: OutboundRequest, given?: AbortSignal): Promise<OutboundOutcome> => {
    const { origin, pathname, search } = new URL(url)
    // Only where there are webhooks. The bundle has CommonJS as `default` alone.
    const { Client, buildConnector } = (await import('undici')).default
    const connect = guardedConnector({ build: buildConnector, networks, lookups, timeoutMs: connectMs })
    const client = new Client(origin, { connect, pipelining: 0 })
    try {
      const late = AbortSignal.timeout(answerMs)
      const signal = given ? AbortSignal.any([late, given]) : late
      const sent = { path: `${pathname}${search}`, method: 'POST', headers, body, signal, reset: true } as const
      const answer = await client.request(sent)
      await readSome(answer.body)
      const retryAfterMs = retryAfterOf(answer.headers['retry-after'], now())
      return { kind: 'answered', status: answer.statusCode, retryAfterMs }
    } finally {
      client.destroy().catch(() => {})
    }
  }

  return {
    refusal: (url) => urlRefusal(url, networks),
    async post(request, signal) {
      const refusal = urlRefusal(request.url, networks)
      if (refusal) return { kind: 'failed', failure: 'address' }
      try {
        return await post(request, signal)
      } catch (error) {
        const failure = failureOf(error)
        if (failure === null) throw error
        return { kind: 'failed', failure }
      }
    },
  }
}

/** Never fails: the status has been said. */
async function readSome(body: AsyncIterable<Uint8Array>): Promise<void> {
  let stop: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    stop = setTimeout(resolve, BODY_MS)
  })
  const some = async () => {
    let read = 0
    for await (const chunk of body) {
      read += chunk.length
      if (read >= BODY_BYTES) return
    }
  }
  await Promise.race([some().catch(() => {}), late])
  clearTimeout(stop)
}
