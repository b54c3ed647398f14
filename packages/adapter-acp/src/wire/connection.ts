/**
 * The connection to one program. The official SDK numbers our requests, writes our frames and refuses requests that we do not serve.
 * Its parser would lose data: it drops updates of an unknown kind, strips fields, refuses a permission request with a new kind of
 * option, and closes the connection after a long line. So this file parses every line first, and gives the SDK only the replies to our
 * requests and the requests that we do not serve.
 *
 * `receive` reports each line before it returns, in the order of the lines. A reply that ends a turn never overtakes earlier updates.
 */
import { RpcError, type RpcId, type RpcOutcome } from '@roundhouse/adapter-kit'
import { asNumber, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'

export interface ConnectionHandlers {
  update(params: Json): void
  ask(id: RpcId, params: Json): void
  /** Anything else: no JSON, a reply that nobody waits for, a request or a notification that we do not serve. */
  stray(payload: unknown): void
}

export interface Connection {
  /** `settle` runs in the same tick in which the reply is read. */
  call(method: string, params: Json, settle: (outcome: RpcOutcome) => void): void
  request(method: string, params: Json): Promise<Json>
  /** Resolves when it is written. */
  notify(method: string, params: Json): Promise<void>
  reply(id: RpcId, result: Json): void
  receive(line: string): void
  /** Every open request fails with this, and so does every later one. */
  close(reason: Error): void
}

type Frame = import('@agentclientprotocol/sdk').AnyMessage
type Settle = (outcome: RpcOutcome) => void

/** The SDK is loaded here and nowhere else: it costs some megabytes, which only a process with such a program pays. */
export async function openConnection(
  write: (frame: object) => void,
  handlers: ConnectionHandlers,
): Promise<Connection> {
  const { client } = await import('@agentclientprotocol/sdk')
  let toSdk: ReadableStreamDefaultController<Frame> | undefined
  /** Requests that the SDK has numbered and not written yet, oldest first. */
  const unwritten: Array<{ method: string; settle: Settle }> = []
  const open = new Map<RpcId, { method: string; settle: Settle }>()
  let closed: Error | undefined

  const readable = new ReadableStream<Frame>({
    start(controller) {
      toSdk = controller
    },
  })
  const writable = new WritableStream<Frame>({
    write(frame) {
      const { id, method } = asRecord(frame)
      const next = typeof method === 'string' && isId(id) ? unwritten.shift() : undefined
      if (next && isId(id)) open.set(id, next)
      write(frame)
    },
  })
  const sdk = client({ name: 'roundhouse' }).connect({ readable, writable })

  const call: Connection['call'] = (method, params, settle) => {
    if (closed) return settle({ ok: false, error: closed })
    unwritten.push({ method, settle })
    // Its outcome is read from the line itself; a rejection here only repeats it.
    sdk.agent.request(method, params).catch(() => {})
  }

  const settleReply = (id: RpcId, frame: Json) => {
    const waiting = open.get(id)
    if (!waiting) return handlers.stray(frame)
    open.delete(id)
    toSdk?.enqueue({ jsonrpc: '2.0', ...frame } as Frame)
    if (frame.error === undefined) return waiting.settle({ ok: true, result: frame.result })
    const { code, message, data } = asRecord(frame.error)
    const words = detailed(asText(message) ?? 'The program refused the request.', data)
    waiting.settle({ ok: false, error: new RpcError(waiting.method, asNumber(code) ?? 0, words) })
  }

  const notified = (method: string, params: Json, frame: Json) =>
    method === 'session/update' ? handlers.update(params) : handlers.stray(frame)

  const requested = (id: RpcId, method: string, params: Json, frame: Json) => {
    if (method === 'session/request_permission') return handlers.ask(id, params)
    handlers.stray(frame)
    // Answered by the SDK with "method not found".
    if (!closed) toSdk?.enqueue({ jsonrpc: '2.0', ...frame } as Frame)
  }

  return {
    call,
    request: (method, params) =>
      new Promise((resolve, reject) =>
        call(method, params, (outcome) => (outcome.ok ? resolve(asRecord(outcome.result)) : reject(outcome.error))),
      ),
    notify: (method, params) => sdk.agent.notify(method, params).catch(() => {}),
    reply: (id, result) => write({ jsonrpc: '2.0', id, result }),
    receive(line) {
      const frame = parse(line)
      if (!frame) return handlers.stray(line)
      const { id, method } = frame
      if (typeof method !== 'string') return isId(id) ? settleReply(id, frame) : handlers.stray(frame)
      const params = asRecord(frame.params)
      if (isId(id)) requested(id, method, params, frame)
      else notified(method, params, frame)
    },
    close(reason) {
      if (closed) return
      closed = reason
      sdk.close(reason)
      for (const { settle } of [...open.values(), ...unwritten.splice(0)]) settle({ ok: false, error: reason })
      open.clear()
    },
  }
}

/** Programs say the reason in `data.details` where the message is only "Internal error". */
function detailed(message: string, data: unknown): string {
  const details = asText(asRecord(data).details)
  return details === undefined ? message : `${message}: ${details}`
}

function parse(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

const isId = (value: unknown): value is RpcId => typeof value === 'string' || Number.isFinite(value)
