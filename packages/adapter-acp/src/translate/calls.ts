/**
 * Tool calls and their results, each exactly once, the call first. A call is told once its input is complete: when it runs,
 * when the program asks about it, or when it ends. Programs announce it before, with an input that is still being written.
 */
import type { Json } from '@roundhouse/adapter-kit/read'
import { type Effect, output } from './effects'
import { mergeCall, resultOf, type ToolCall } from './tool-call'

export interface NamedCall {
  toolName: string
  input: unknown
}

/** How a program's calls are named: the protocol has titles and kinds, and no names. */
export type NameCall = (call: ToolCall) => NamedCall

interface KnownCall extends ToolCall {
  told: NamedCall | undefined
  /** It was not allowed, and why. Some programs say nothing of it any more. */
  refused: string | undefined
}

export class Calls {
  private readonly open = new Map<string, KnownCall>()
  /** What the program still says about these is not news. */
  private readonly closed = new Set<string>()

  constructor(private readonly nameCall: NameCall) {}

  /** `tool_call` and `tool_call_update`: either may be the first word about a call. */
  update(callId: string, update: Json, isCancelling: boolean): Effect[] {
    if (this.closed.has(callId)) return []
    const call = this.merge(callId, update)
    const { status } = call
    if (status === 'pending') return []
    const begun = this.tell(callId, call)
    if (status !== 'completed' && status !== 'failed') return begun
    // OpenCode says of a command that it ended for that: completed.
    if (isCancelling) return [...begun, ...this.close(callId, resultOf(call), true, { stopped: true })]
    return [...begun, ...this.close(callId, resultOf(call), status === 'failed')]
  }

  /** The program asks about this call. Its request says what it is about; what was said before is the rest of the input. */
  ask(callId: string, toolCall: Json): { told: Effect[]; call: NamedCall; title: string | undefined } {
    const call = this.merge(callId, toolCall)
    const told = this.tell(callId, call)
    const named = this.nameCall(call)
    return { told, call: { toolName: call.told?.toolName ?? named.toolName, input: named.input }, title: call.title }
  }

  isClosed(callId: string): boolean {
    return this.closed.has(callId)
  }

  refused(callId: string, words: string): void {
    const call = this.open.get(callId)
    if (call) call.refused = words
  }

  /** Something else happens: nothing more comes about a call that was refused. */
  closeRefused(exceptCallId?: string): Effect[] {
    return [...this.open].flatMap(([callId, { refused }]) =>
      refused === undefined || callId === exceptCallId ? [] : this.close(callId, refused, true),
    )
  }

  /** Closes what the ended turn left open. */
  endTurn(interrupted: boolean): Effect[] {
    return [...this.open].flatMap(([callId, call]) => {
      const begun = this.tell(callId, call)
      const said = call.refused ?? resultOf(call)
      if (interrupted) return [...begun, ...this.close(callId, said, true, { stopped: true })]
      return [...begun, ...this.close(callId, said === '' ? '(not finished)' : said, true)]
    })
  }

  private merge(callId: string, update: Json): KnownCall {
    const before = this.open.get(callId)
    const call = { told: before?.told, refused: before?.refused, ...mergeCall(callId, before, update) }
    this.open.set(callId, call)
    return call
  }

  private tell(callId: string, call: KnownCall): Effect[] {
    if (call.told) return []
    call.told = this.nameCall(call)
    return [output({ kind: 'tool_use', ...call.told, callId })]
  }

  private close(callId: string, result: unknown, isError: boolean, more: { stopped?: true } = {}): Effect[] {
    this.open.delete(callId)
    this.closed.add(callId)
    return [output({ kind: 'tool_result', callId, output: result, ...(isError ? { isError } : {}), ...more })]
  }
}
