/**
 * The HTTP calls of an agent. `fetch` would load 8 MB into a daemon that idles for weeks, so this uses `node:http`.
 * Errors of the hub keep their `CodedError`; a hub that does not answer is `AGENT_OFFLINE`.
 */
import http from 'node:http'
import https from 'node:https'
import { CodedError, ErrorBody, fromErrorBody } from '@roundhouse/backend-types'
import { z } from 'zod'

const TIMEOUT_MS = 10_000
const ANSWER_LIMIT_BYTES = 65_536

export type PostJson = <T>(url: string, body: object, answer: z.ZodType<T>) => Promise<T>

/** Throws what the hub refused with, `AGENT_OFFLINE`, or `MALFORMED_FRAME` where the answer is not what was awaited. */
export const postJson: PostJson = (url, body, answer) => postWithin(TIMEOUT_MS)(url, body, answer)

/** The same, for callers that know how long an answer may take, or that say who they are. */
export const postWithin =
  (limitMs: number, headers: Readonly<Record<string, string>> = {}): PostJson =>
  async (url, body, answer) => {
    const { status, text } = await post(new URL(url), JSON.stringify(body), limitMs, headers)
    const json = parseJson(text)
    if (status >= 200 && status < 300) {
      const parsed = answer.safeParse(json)
      if (parsed.success) return parsed.data
      throw new CodedError('MALFORMED_FRAME', `The hub at ${url} sent an answer that the agent cannot read.`)
    }
    const failure = z.object({ error: ErrorBody }).safeParse(json)
    if (failure.success) throw fromErrorBody(failure.data.error)
    throw new CodedError('INTERNAL', `The hub answered ${status} to ${url}. Is that the address of a Roundhouse hub?`)
  }

/** Calls a route as its row of the table says: where it is, what it takes and what it answers. */
export const callRoute = <B extends z.ZodType, A extends z.ZodType>(
  post: PostJson,
  hubUrl: string,
  { path, answer }: { path: string; body: B; answer: A },
  body: z.input<B> & object,
): Promise<z.output<A>> => post(`${hubUrl}/api/v1${path}`, body, answer as z.ZodType<z.output<A>>)

function post(
  url: URL,
  body: string,
  limitMs: number,
  more: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(
        new CodedError(
          'AGENT_OFFLINE',
          `The agent cannot reach the hub at ${url.origin}${reasonOf(cause)}.`,
          undefined,
          cause,
        ),
      )
    const send = url.protocol === 'https:' ? https.request : http.request
    const headers = { ...more, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = send(url, { method: 'POST', timeout: limitMs, agent: false, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
        if (text.length > ANSWER_LIMIT_BYTES) answer.destroy(new Error('the answer is too long'))
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', fail)
    })
    call.on('timeout', () => call.destroy(new Error(`no answer within ${(limitMs / 1000).toFixed(1)} s`)))
    call.on('error', fail)
    call.end(body)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return ''
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  return code ? ` (${code})` : ''
}
