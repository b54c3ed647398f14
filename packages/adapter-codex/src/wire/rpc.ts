/**
 * JSON-RPC as `codex app-server` speaks it: one object per line, no `jsonrpc` member, requests in both directions with
 * two separate sequences of ids. Replies are settled synchronously, in the order of the lines, so that a reply and the
 * notifications around it are never seen in the wrong order.
 */
import { asNumber, asRecord, asText } from './read'

export const clientInfo = { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' }

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

export type RpcOutcome = { ok: true; result: unknown } | { ok: false; error: Error }

export interface Rpc {
  /** `settle` runs in the same tick in which the reply is read. */
  call(method: string, params: unknown, settle: (outcome: RpcOutcome) => void): void
  request(method: string, params: unknown): Promise<unknown>
  notify(method: string): void
  reply(id: RpcId, result: unknown): void
  replyError(id: RpcId, code: number, message: string): void
  receive(line: string): void
  /** Every open request fails with this, and so does every later one. */
  close(reason: Error): void
}

export function createRpc(write: (line: string) => void, handlers: RpcHandlers): Rpc {
  const open = new Map<RpcId, { method: string; settle: (outcome: RpcOutcome) => void }>()
  let lastId = 0
  let closed: Error | undefined

  const send = (frame: unknown) => write(`${JSON.stringify(frame)}\n`)

  const call: Rpc['call'] = (method, params, settle) => {
    if (closed) return settle({ ok: false, error: closed })
    lastId += 1
    open.set(lastId, { method, settle })
    send({ id: lastId, method, params })
  }

  const settleReply = (id: RpcId, frame: Record<string, unknown>) => {
    const waiting = open.get(id)
    if (!waiting) return handlers.stray(frame)
    open.delete(id)
    if (frame.error === undefined) return waiting.settle({ ok: true, result: frame.result })
    const error = asRecord(frame.error)
    const message = asText(error.message) ?? 'Codex refused the request.'
    waiting.settle({ ok: false, error: new RpcError(waiting.method, asNumber(error.code) ?? 0, message) })
  }

  return {
    call,
    request: (method, params) =>
      new Promise((resolve, reject) =>
        call(method, params, (outcome) => (outcome.ok ? resolve(outcome.result) : reject(outcome.error))),
      ),
    notify: (method) => send({ method }),
    reply: (id, result) => send({ id, result }),
    replyError: (id, code, message) => send({ id, error: { code, message } }),
    receive(line) {
      let frame: Record<string, unknown>
      try {
        frame = asRecord(JSON.parse(line))
      } catch {
        return handlers.stray(line)
      }
      const id = asText(frame.id) ?? asNumber(frame.id)
      const method = asText(frame.method)
      if (method !== undefined && id !== undefined) handlers.request(id, method, frame.params)
      else if (method !== undefined) handlers.notification(method, frame.params)
      else if (id !== undefined) settleReply(id, frame)
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
