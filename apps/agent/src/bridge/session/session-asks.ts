/** What a program of this session asks: for a permission, or for the answer of a hook. The policy comes first, then the client. */
import { isDeepStrictEqual } from 'node:util'
import {
  type BackendAdapter,
  type HookCall,
  inputShapeOf,
  type PermissionDecision,
  type PermissionRequest,
} from '@roundhouse/backend-types'
import {
  decisionOf,
  forbidden,
  type HookAnswer,
  type PermissionAnswer,
  terminated,
  timedOut,
} from '../messages/callback-answers'
import { errorReply, type Say } from '../messages/replies'
import { type AskPlace, ruleAgainst, ruleAgainstUpdates, ruleOn } from '../rules/ask-rules'
import { allowsCall, checkedAnswer, refusedHook } from '../rules/hook-rules'
import type { Callbacks } from './callbacks'

export interface AskPorts {
  sessionId: string
  callbacks: Callbacks
  say: Say
  newId(): string
  /** As the machine stands now. */
  place(): AskPlace
  /** For the machine's owner: no secret of a call is in it. */
  log(line: string): void
}

type Respond = (decision: PermissionDecision) => Promise<void>

export class SessionAsks {
  /** The ids of questions that wait, by the call that they are about. */
  private readonly waiting = new Map<string, string>()
  /** Calls that a hook of the client has allowed. */
  private readonly allowed = new Set<string>()

  constructor(private readonly ports: AskPorts) {}

  async permission(
    request: PermissionRequest,
    adapter: Pick<BackendAdapter, 'inputShapes'>,
    respond: Respond,
  ): Promise<void> {
    const decision = await this.decide(request, adapter).catch((error: unknown): PermissionDecision => {
      this.ports.log(`a request of ${request.toolName} could not be judged and is denied: ${String(error)}`)
      return { callId: request.callId, decision: 'deny', reason: 'The request could not be read.' }
    })
    // If the program is gone by now, nothing waits.
    if (decision) await respond(decision).catch(() => {})
  }

  withdraw(callId: string): void {
    const id = this.waiting.get(callId)
    if (id !== undefined) this.ports.callbacks.withdraw(id)
  }

  async hook(call: HookCall): Promise<HookAnswer> {
    const { callbacks, sessionId, say, newId, place } = this.ports
    const refused = refusedHook(call, place())
    if (refused) return refused
    const id = newId()
    const settled = callbacks.ask('hook', id, call.withdrawn)
    say({
      type: 'callback.request',
      id,
      session_id: sessionId,
      payload: {
        callback_type: 'hook',
        hook_event: call.event,
        hook_input: call.input,
        ...(call.callId === undefined ? {} : { tool_use_id: call.callId }),
      },
    })
    const heard = await settled
    if (heard.by !== 'client') return {}
    const answer = checkedAnswer(call, heard.answer, place())
    if (call.callId !== undefined && allowsCall(call, answer)) this.allowed.add(call.callId)
    return answer
  }

  /** The turn is over: what was allowed in it and not asked about is not asked about any more. */
  turnEnded(): void {
    this.allowed.clear()
  }

  /** Null: the program withdrew it. */
  private async decide(
    request: PermissionRequest,
    { inputShapes }: Pick<BackendAdapter, 'inputShapes'>,
  ): Promise<PermissionDecision | null> {
    const { callId, toolName } = request
    const shape = inputShapeOf(inputShapes, toolName)
    const ruling = ruleOn({ ...request, shape }, this.ports.place(), this.allowed.delete(callId))
    switch (ruling.kind) {
      case 'forbidden':
        this.ports.log(`${toolName} was denied by the policy (${ruling.rule})`)
        return forbidden(callId, ruling.rule)
      case 'allow':
        return { callId, decision: 'allow' }
      case 'decline':
        return { callId, decision: 'deny' }
      case 'ask':
        return this.askClient(request)
    }
  }

  private async askClient(request: PermissionRequest): Promise<PermissionDecision | null> {
    const { callbacks, sessionId, say, newId } = this.ports
    const { callId, toolName, input, meta } = request
    const id = newId()
    const settled = callbacks.ask('can_use_tool', id)
    this.waiting.set(callId, id)
    say({
      type: 'callback.request',
      id,
      session_id: sessionId,
      payload: {
        callback_type: 'can_use_tool',
        tool_name: toolName,
        tool_input: input,
        ...(Array.isArray(meta?.suggestions) ? { suggestions: meta.suggestions } : {}),
        tool_use_id: callId,
      },
    })
    const heard = await settled
    this.waiting.delete(callId)
    switch (heard.by) {
      case 'client':
        return this.checked(id, request, heard.answer)
      case 'timeout':
        return timedOut(callId)
      case 'end':
        return terminated(callId)
      case 'withdrawn':
        return null
    }
  }

  private checked(
    id: string,
    { callId, toolName, input, meta }: PermissionRequest,
    answer: PermissionAnswer,
  ): PermissionDecision {
    const decision = decisionOf(callId, answer)
    const { updatedInput, updatedPermissions = [] } = decision
    if (updatedInput === undefined && updatedPermissions.length === 0) return decision
    const place = this.ports.place()
    const rule =
      (updatedInput === undefined ? null : ruleAgainst(toolName, updatedInput, place)) ??
      ruleAgainstUpdates(updatedPermissions, place)
    if (rule !== null) {
      this.ports.log(`${toolName} was denied by the policy (${rule})`)
      return forbidden(callId, rule)
    }
    if (updatedInput === undefined || meta?.canEdit === true) return decision
    const { updatedInput: _echo, ...asAsked } = decision
    if (isDeepStrictEqual(updatedInput, input)) return asAsked
    const reason = 'This program cannot run a changed input.'
    const { say, sessionId: session_id } = this.ports
    say(errorReply('INVALID_MESSAGE', `${reason} The call is denied.`, { id, session_id }))
    return { callId, decision: 'deny', reason }
  }
}
