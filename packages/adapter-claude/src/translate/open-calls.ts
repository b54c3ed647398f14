/** Calls whose result is still to come, and the sub-agent that made them; each gets one result, by the CLI or from here. */
import type { BackendOutput } from '@roundhouse/backend-types'
import { compact } from '../wire/frames'

type Result = Extract<BackendOutput, { kind: 'tool_result' }>

export class OpenCalls {
  private readonly open = new Map<string, string | undefined>()
  /** Of sub-agents that ended: the CLI's own result comes later or never. */
  private readonly cutShort = new Set<string>()

  has(callId: string): boolean {
    return this.open.has(callId)
  }

  made(callId: string, parentCallId: string | undefined): void {
    this.open.set(callId, parentCallId)
  }

  /** False: it was closed here already. */
  reported(callId: string): boolean {
    this.open.delete(callId)
    return !this.cutShort.delete(callId)
  }

  /** A spent budget ends the turn between a call and its result. Calls of sub-agents may go on in the background. */
  endTurn(): Result[] {
    return this.close(undefined, { output: 'The turn ended before this call reported.' })
  }

  /** `startedBy`: the call that started the sub-agent. */
  endHelper(startedBy: string): Result[] {
    const closed = this.close(startedBy, { output: '', stopped: true })
    for (const { callId } of closed) this.cutShort.add(callId)
    return closed
  }

  private close(maker: string | undefined, gave: Pick<Result, 'output' | 'stopped'>): Result[] {
    const left = [...this.open].filter(([, parent]) => parent === maker)
    return left.map(([callId, parentCallId]) => {
      this.open.delete(callId)
      return compact({ kind: 'tool_result' as const, callId, ...gave, isError: true, parentCallId })
    })
  }
}
