/** The calls of the model, from their use to their result, with the to-do list that some of them change. */
import type { BackendOutput } from '@roundhouse/backend-types'
import { type Frame, parentOf, recordAt, recordsAt, textAt } from '../wire/frames'
import { OpenCalls } from './open-calls'
import { raw, toolUse } from './outputs'
import { PlanTracker } from './plan-tracker'
import { toolResult } from './results'
import type { StoredTask } from './stored-tasks'
import { outputs, type Translated } from './translated'

export class Calls {
  private readonly open = new OpenCalls()
  private readonly todo: PlanTracker
  /** What the open calls with a plan said: the request about one may leave it out. */
  private readonly planCalls = new Map<string, unknown>()

  /** `runsOn`: what the call started goes on in the background. */
  constructor(
    stored: readonly StoredTask[] | undefined,
    private readonly runsOn: (callId: string) => boolean,
  ) {
    this.todo = new PlanTracker(stored)
  }

  has(callId: string): boolean {
    return this.open.has(callId)
  }

  used(frame: Frame, block: Frame): Translated[] {
    const output = toolUse(frame, block)
    if (!output) return outputs([raw(block)])
    this.open.made(output.callId, output.parentCallId)
    if (output.toolName === 'ExitPlanMode') this.planCalls.set(output.callId, output.input)
    this.todo.used(output.callId, output.toolName, output.input)
    return outputs([output])
  }

  /** What a person or the CLI itself wrote is no output: the host logs prompts, and interrupts end the turn. */
  results(frame: Frame): Translated[] {
    const content = recordsAt(recordAt(frame, 'message'), 'content')
    if (!content.some((block) => textAt(block, 'type') === 'tool_result')) return outputs([raw(frame)])
    return content.flatMap((block) => this.result(frame, block))
  }

  private result(frame: Frame, block: Frame): Translated[] {
    const output = toolResult(frame, block, this.runsOn)
    if (!output || !this.open.reported(output.callId)) return outputs([raw(block)])
    this.planCalls.delete(output.callId)
    const items = this.todo.finished(output.callId, output.isError === true, recordAt(frame, 'tool_use_result'))
    return outputs(items ? [output, { kind: 'plan', items, ...parentOf(frame) }] : [output])
  }

  /** The plan that a request is about, as the model wrote it. */
  planOf(callId: string | undefined): unknown {
    return this.planCalls.get(callId ?? '')
  }

  /** Another conversation begins. */
  clear(): void {
    this.todo.clear()
  }

  endTurn(): BackendOutput[] {
    return this.open.endTurn()
  }

  endHelper(startedBy: string): BackendOutput[] {
    return this.open.endHelper(startedBy)
  }
}
