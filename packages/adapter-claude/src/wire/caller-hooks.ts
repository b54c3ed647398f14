/**
 * Hooks of a caller that speaks the program's own language, beside our own (`command-hook.ts`). The program waits for each
 * answer, unless it says that it does not any more: the turn was interrupted, for example.
 */
import type { DirectCaller } from '@roundhouse/backend-types'
import { commandHooks, HOOK_PATIENCE } from './command-hook'
import { asRecord, controlError, controlSuccess, type Frame, recordAt, textAt } from './frames'

type Matchers = Readonly<Record<string, readonly Frame[]>>

export class CallerHooks {
  /** For the first request to the program. */
  readonly registered: Matchers
  /** The event of each callback id. */
  private readonly events = new Map<string, string>()
  /** By the id of the program's request. */
  private readonly open = new Map<string, AbortController>()

  constructor(
    hooks: Matchers,
    private readonly caller: DirectCaller | undefined,
    private readonly write: (frame: Frame) => void,
  ) {
    const asked = Object.entries(hooks).map(([event, matchers]) => [event, this.named(event, matchers)] as const)
    const both = (event: string, theirs: readonly Frame[]) => [...(ours[event] ?? []), ...theirs]
    this.registered = { ...ours, ...Object.fromEntries(asked.map(([event, theirs]) => [event, both(event, theirs)])) }
  }

  /** True: the frame was for a hook of the caller. */
  takes(frame: Frame): boolean {
    const requestId = textAt(frame, 'request_id') ?? ''
    if (frame.type === 'control_cancel_request') {
      const waiting = this.open.get(requestId)
      waiting?.abort()
      return this.open.delete(requestId)
    }
    const request = frame.type === 'control_request' ? recordAt(frame, 'request') : undefined
    if (request?.subtype !== 'hook_callback') return false
    const event = this.events.get(textAt(request, 'callback_id') ?? '')
    if (event === undefined || !this.caller) return false
    void this.answer(this.caller, requestId, event, request)
    return true
  }

  private async answer(caller: DirectCaller, requestId: string, event: string, request: Frame): Promise<void> {
    const withdrawn = new AbortController()
    this.open.set(requestId, withdrawn)
    const callId = textAt(request, 'tool_use_id') ?? textAt(asRecord(request.input), 'tool_use_id')
    const call = { event, input: request.input, withdrawn: withdrawn.signal, ...(callId ? { callId } : {}) }
    const reply = await caller.hook(call).then(
      (answer) => controlSuccess(requestId, answer),
      (error: unknown) => controlError(requestId, error instanceof Error ? error.message : String(error)),
    )
    if (this.open.delete(requestId)) this.write(reply)
  }

  private named(event: string, matchers: readonly Frame[]): Frame[] {
    return matchers.map(({ matcher }) => {
      const callbackId = `caller-${this.events.size + 1}`
      this.events.set(callbackId, event)
      const tools = typeof matcher === 'string' ? { matcher } : {}
      return { ...tools, hookCallbackIds: [callbackId], timeout: HOOK_PATIENCE }
    })
  }
}

const ours: Matchers = commandHooks
