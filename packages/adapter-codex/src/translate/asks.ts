/** A request that waits for a person, which Codex identifies by its own JSON-RPC id, and the reply to it. */

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
