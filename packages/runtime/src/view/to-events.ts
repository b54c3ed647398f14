/** The adapter's output as events of the contract. Pure but for what it remembers of open calls. */
import {
  type BackendOutput,
  type InputShapes,
  inputShapeOf,
  type TokenBudgetWarning,
  type TurnCompleteInfo,
} from '@roundhouse/backend-types'
import type { ErrorEvent, Event, ResultEvent, SystemEvent, ToolUseEvent } from '../contract/event'
import type { CostData } from '../contract/result'

interface OpenCall {
  toolName: string
  startedMs: number
}

export class EventTranslator {
  private readonly calls = new Map<string, OpenCall>()
  private lastText = ''

  constructor(
    private readonly shapes: InputShapes | undefined,
    private readonly nowMs: () => number,
  ) {}

  /** Null for what never leaves an adapter (LOG-8). */
  eventOf(output: BackendOutput): Event | null {
    switch (output.kind) {
      case 'assistant_text': {
        const { kind, text, ...more } = output
        if (output.parentCallId === undefined) this.lastText = text
        return { kind, text, ...rawOf(more) }
      }
      case 'thinking': {
        const { kind, text, ...more } = output
        return { kind: 'system', subtype: kind, message: text, ...rawOf(more) }
      }
      case 'tool_use':
        return this.toolUse(output)
      case 'tool_result': {
        const { kind, callId, output: content, isError = false, ...more } = output
        const call = this.calls.get(callId)
        this.calls.delete(callId)
        return { kind, ...named(call), toolUseId: callId, content: textOf(content), isError, ...rawOf(more) }
      }
      case 'tool_progress': {
        const { kind, callId, ...more } = output
        const { toolName = '', startedMs = this.nowMs() } = this.calls.get(callId) ?? {}
        const elapsedSeconds = (this.nowMs() - startedMs) / 1_000
        return { kind, toolName, elapsedSeconds, ...rawOf({ callId, ...more }) }
      }
      case 'plan': {
        const { kind, ...more } = output
        return { kind: 'system', subtype: kind, ...rawOf(more) }
      }
      case 'system': {
        const { subtype, data } = output
        return { kind: 'system', subtype, ...messageIn(data), ...rawOf(data) }
      }
      case 'raw':
        return null
    }
  }

  /** `turns`: all turns of the session, of which `last` is the last one. */
  resultOf(last: TurnCompleteInfo, cost: CostData): ResultEvent {
    const { reason = 'completed', error, backendMeta } = last
    const common = { kind: 'result', cost, ...rawOf(backendMeta) } as const
    if (reason === 'completed') return { ...common, success: true, ...(this.lastText && { message: this.lastText }) }
    const errorSubtype = reason === 'failed' ? (error?.code ?? 'error_during_execution') : subtypes[reason]
    return { ...common, success: false, errors: [error?.message ?? `The turn ended: ${reason}.`], errorSubtype }
  }

  private toolUse({
    callId,
    toolName,
    input,
    kind,
    ...more
  }: Extract<BackendOutput, { kind: 'tool_use' }>): ToolUseEvent {
    this.calls.set(callId, { toolName, startedMs: this.nowMs() })
    const fields = isRecord(input) ? input : input === undefined || input === null ? {} : { value: input }
    return { kind, toolName, toolUseId: callId, input: fields, ...this.categoryOf(toolName), ...rawOf(more) }
  }

  private categoryOf(toolName: string): Pick<ToolUseEvent, 'toolCategory'> {
    switch (inputShapeOf(this.shapes, toolName)?.kind) {
      case 'command':
        return { toolCategory: 'shell' }
      case 'write':
      case 'edit':
      case 'edit_file':
      case 'patches':
        return { toolCategory: 'filesystem' }
      default:
        return {}
    }
  }
}

const subtypes = { interrupted: 'interrupted', max_turns: 'error_max_turns', budget: 'error_max_budget' } as const

export const budgetEvent = (warning: TokenBudgetWarning): SystemEvent => ({
  kind: 'system',
  subtype: 'token_budget_warning',
  message: `${warning.distanceToHard} tokens are left of ${warning.hardLimit}.`,
  raw: warning,
})

export const stoppedEvent = (cost: CostData): ResultEvent => ({
  kind: 'result',
  success: false,
  errors: ['The session was stopped.'],
  errorSubtype: 'stopped',
  cost,
})

export function exitEvent(code: number | null, signal: string | null, stderrTail: string): ErrorEvent {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`
  return {
    kind: 'error',
    code: 'BACKEND_CRASHED',
    message: `The program ended ${how}.`,
    ...rawOf({ code, signal, stderrTail }),
  }
}

export function addCost(cost: CostData, { cost: dollars, usage }: TurnCompleteInfo): CostData {
  const sum = (one: number | undefined, other: number | undefined) =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0)
  return {
    inputTokens: sum(cost.inputTokens, usage?.inputTokens),
    outputTokens: sum(cost.outputTokens, usage?.outputTokens),
    cachedInputTokens: sum(cost.cachedInputTokens, usage?.cachedTokens),
    totalCostUsd: sum(cost.totalCostUsd, dollars),
    numTurns: (cost.numTurns ?? 0) + 1,
  }
}

const named = (call: OpenCall | undefined) => (call ? { toolName: call.toolName } : {})

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? '')

function rawOf(more: unknown): { raw?: unknown } {
  if (more === undefined || more === null) return {}
  return isRecord(more) && Object.values(more).every((value) => value === undefined) ? {} : { raw: more }
}

const messageIn = (data: unknown): { message?: string } =>
  isRecord(data) && typeof data.message === 'string' ? { message: data.message } : {}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
