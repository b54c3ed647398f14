/** A request whose headers have arrived and whose body has not. The test decides what happens in between. */
import { request } from 'node:http'
import type { RawAnswer, RawAsk, RawWeb } from './raw-web'

export interface LateBody {
  /** Of a hub that does not wait for the rest. */
  answer: Promise<RawAnswer>
  /** Sends the rest. */
  finish(): Promise<RawAnswer>
}

/** Resolves when the headers are sent. */
export async function beginRequest(web: RawWeb, target: string, ask: Required<RawAsk>): Promise<LateBody> {
  const { method, body } = ask
  const headers = await web.proven(target, ask)
  const sent = request({
    host: '127.0.0.1',
    port: web.hub.port,
    method,
    path: target,
    setHost: false,
    agent: false,
    headers: { host: `localhost:${web.hub.port}`, 'content-length': String(Buffer.byteLength(body)), ...headers },
  })
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, body: text, code: errorCode(text) })
      })
    })
  })
  answer.catch(() => {})
  sent.flushHeaders()
  await new Promise<void>((resolve) =>
    sent.once('socket', (socket) => (socket.connecting ? socket.once('connect', resolve) : resolve())),
  )
  return {
    answer,
    finish: () => {
      sent.end(body)
      return answer
    },
  }
}

function errorCode(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code
  } catch {
    return undefined
  }
}
