/**
 * One end of a JSON-RPC dialogue: requests in both directions, with two separate sequences of ids. Replies are settled
 * synchronously, in the order of the lines, so that a reply and the notifications around it are never seen in the wrong order.
 */
export type RpcId = string | number

export class RpcError extends Error {
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
  ) {
    super(message)
    this.name = 'RpcError'
  }
}

export interface RpcHandlers {
  notification(method: string, params: unknown): void
  request(id: RpcId, method: string, params: unknown): void
  /** A line that is no JSON-RPC frame, or a reply that nobody waits for. */
  stray(payload: unknown): void
}

export interface RpcDialect {
  /** Who is spoken to, for messages. */
  program: string
  /** The `jsonrpc` member of each frame. Absent where the program leaves it out. */
  version?: '2.0'
}

export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: Error }

export interface Rpc {
  /** `settle` runs in the same tick in which the reply is read. */
  call(method: string, params: unknown, settle: (outcome: RpcOutcome) => void): void
  request(method: string, params: unknown): Promise<unknown>
  notify(method: string, params?: unknown): void
  reply(id: RpcId, result: unknown): void
  replyError(id: RpcId, code: number, message: string): void
  receive(line: string): void
  /** Every open request fails with this, and so does every later one. */
  close(reason: Error): void
}

export function createRpc(dialect: RpcDialect, write: (frame: object) => void, handlers: RpcHandlers): Rpc {
  const open = new Map<RpcId, { method: string; settle: (outcome: RpcOutcome) => void }>()
  let lastId = 0
  let closed: Error | undefined

  const { program, version } = dialect
  const send = (frame: object) => write(version === undefined ? frame : { jsonrpc: version, ...frame })

  const call: Rpc['call'] = (method, params, settle) => {
    if (closed) return settle({ ok: false, error: closed })
    lastId += 1
    open.set(lastId, { method, settle })
    send({ id: lastId, method, params })
  }

  const settleReply = (id: RpcId, frame: Frame) => {
    const waiting = open.get(id)
    if (!waiting) return handlers.stray(frame)
    open.delete(id)
    if (frame.error === undefined) return waiting.settle({ ok: true, result: frame.result })
    const { code, message } = frameOf(frame.error)
    const words = typeof message === 'string' ? message : `${program} refused the request.`
    waiting.settle({ ok: false, error: new RpcError(waiting.method, Number.isFinite(code) ? Number(code) : 0, words) })
  }

  return {
    call,
    request: (method, params) =>
      new Promise((resolve, reject) =>
        call(method, params, (outcome) => (outcome.ok ? resolve(outcome.result) : reject(outcome.error))),
      ),
    notify: (method, params) => send({ method, params }),
    reply: (id, result) => send({ id, result }),
    replyError: (id, code, message) => send({ id, error: { code, message } }),
    receive(line) {
      let frame: Frame
      try {
        frame = frameOf(JSON.parse(line))
      } catch {
        return handlers.stray(line)
      }
      const { id, method } = frame
      if (typeof method === 'string') {
        if (isId(id)) handlers.request(id, method, frame.params)
        else handlers.notification(method, frame.params)
      } else if (isId(id)) settleReply(id, frame)
      else handlers.stray(frame)
    },
    close(reason) {
      closed ??= reason
      const waiting = [...open.values()]
      open.clear()
      for (const { settle } of waiting) settle({ ok: false, error: closed })
    },
  }
}

type Frame = Record<string, unknown>

const frameOf = (value: unknown): Frame =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : {}

const isId = (value: unknown): value is RpcId => typeof value === 'string' || Number.isFinite(value)
