/**
 * Requests that wait for a person. Codex identifies a request by its own JSON-RPC id and may ask twice about one item; the
 * contract identifies it by `callId`. So only one request per `callId` is shown at a time, and the next one follows the
 * decision: a decision can never reach the wrong request.
 */

import type { RpcId } from '@roundhouse/adapter-kit'
import { asRecord } from '@roundhouse/adapter-kit/read'
import type { PermissionDecision, PermissionRequest } from '@roundhouse/backend-types'
import { answersOf } from './questions'

export type AskKind = 'command' | 'file' | 'mcp' | 'form' | 'question' | 'permissions'

export interface Ask {
  id: RpcId
  kind: AskKind
  threadId: string
  turnId: string | undefined
  /** The call was made up here, for a question without an item: its result has to be made up as well. */
  madeUp: boolean
  request: PermissionRequest
}

export class Asks {
  private readonly queues = new Map<string, Ask[]>()

  /** True when the question is to be shown now. */
  add(ask: Ask): boolean {
    const queue = this.queues.get(ask.request.callId) ?? []
    queue.push(ask)
    this.queues.set(ask.request.callId, queue)
    return queue.length === 1
  }

  shown(callId: string): Ask | undefined {
    return this.queues.get(callId)?.[0]
  }

  isAsked(callId: string): boolean {
    return this.queues.has(callId)
  }

  /** Takes a question out. Names the next one of the same call, if that was shown and another one waits. */
  remove(id: RpcId): { ask: Ask; wasShown: boolean; next: Ask | undefined } | undefined {
    for (const [callId, queue] of this.queues) {
      const at = queue.findIndex((ask) => ask.id === id)
      const [ask] = at === -1 ? [] : queue.splice(at, 1)
      if (!ask) continue
      if (queue.length === 0) this.queues.delete(callId)
      return { ask, wasShown: at === 0, next: at === 0 ? queue[0] : undefined }
    }
    return undefined
  }

  /** Takes out every question of a thread. Returns those that were shown. */
  removeThread(threadId: string): Ask[] {
    const shown: Ask[] = []
    for (const [callId, queue] of this.queues) {
      const [first] = queue
      if (first?.threadId !== threadId) continue
      shown.push(first)
      this.queues.delete(callId)
    }
    return shown
  }
}

export type Reply =
  | { ok: true; result: unknown }
  /** Nobody decided. It is not a refusal, and Codex goes on with the turn (PERM-4). */
  | { ok: false; code: number; message: string }

/** The decision as Codex expects it. A grant stays with the host, so `allow_session` is a plain allow (PERM-5). */
export function replyTo(ask: Ask, decision: PermissionDecision): Reply {
  if (decision.unanswered) return { ok: false, code: -32_000, message: 'Nobody answered.' }
  return { ok: true, result: resultOf(ask, decision) }
}

function resultOf(ask: Ask, { decision, updatedInput }: PermissionDecision): unknown {
  const allowed = decision === 'allow' || decision === 'allow_session'
  switch (ask.kind) {
    case 'command':
    case 'file':
      return { decision: allowed ? 'accept' : decision === 'deny' ? 'decline' : 'cancel' }
    case 'mcp':
    case 'form':
      return {
        action: allowed ? 'accept' : decision === 'deny' ? 'decline' : 'cancel',
        content: allowed ? (asRecord(updatedInput).content ?? {}) : null,
        _meta: null,
      }
    case 'question':
      return { answers: allowed ? answersOf(asRecord(updatedInput)) : {} }
    case 'permissions':
      return { permissions: allowed ? asRecord(asRecord(ask.request.input).permissions) : {}, scope: 'turn' }
  }
}

/** `cancel` ends the turn for commands and patches of the main thread; everywhere else the turn must be ended as well. */
export function abortNeedsInterrupt(ask: Ask, mainThread: string): boolean {
  return ask.threadId !== mainThread || (ask.kind !== 'command' && ask.kind !== 'file')
}
