/**
 * Claude's frames from typed output, for programs that have a language of their own. A client that reads `assistant`, `user`,
 * `system`, `result` and, where it wants them, `stream_event` frames needs to know nothing else. No clock and no ids of its own.
 */
import type { BackendOutput, LiveDelta, PermissionRequest, TurnCompleteInfo } from '@roundhouse/backend-types'
import type { Frame } from './own-frames'
import { StreamFrames } from './stream-frames'

export interface MadeFramesOptions {
  cwd: string
  model: string | undefined
  mode: string | undefined
  backend: string
  wantsPartial: boolean
  newId(): string
}

export class MadeFrames {
  /** The program's own id of the conversation. */
  sessionId = ''
  private readonly live: StreamFrames
  /** What the assistant said last in this turn: the result of it. */
  private lastText = ''
  private messages = 0
  private calls = new Map<string, { name: string; input: unknown }>()
  /** Not every program counts what was denied. */
  private denials = new Map<string, Frame>()
  /** What the program says before its first turn comes behind the frame with which Claude's begin. Null: that was said. */
  private early: BackendOutput[] | null = []

  constructor(private readonly options: MadeFramesOptions) {
    this.live = new StreamFrames(options.newId, options.model)
  }

  /** A turn begins. */
  begin(): Frame[] {
    const { cwd, model, mode, backend } = this.options
    this.lastText = ''
    this.messages = 0
    this.denials.clear()
    const about = { cwd, model: model ?? 'default', permissionMode: mode ?? 'default', backend }
    const lists = { tools: [], mcp_servers: [], slash_commands: [] }
    const { early } = this
    this.early = null
    return [
      this.frame({ type: 'system', subtype: 'init', ...about, ...lists }),
      ...(early ?? []).flatMap((output) => this.output(output)),
    ]
  }

  output(output: BackendOutput): Frame[] {
    if (this.early) {
      this.early.push(output)
      return []
    }
    switch (output.kind) {
      case 'assistant_text':
        if (output.parentCallId === undefined) this.lastText = output.text
        return this.finished(output, { type: 'text', text: output.text })
      case 'thinking':
        return this.finished(output, { type: 'thinking', thinking: output.text, signature: '' })
      case 'tool_use': {
        const { callId: id, toolName: name, input } = output
        this.calls.set(id, { name, input })
        return [this.assistant(output, { type: 'tool_use', id, name, input })]
      }
      case 'tool_result':
        return [this.toolResult(output)]
      case 'tool_progress': {
        const { callId, text } = output
        const tool_name = this.calls.get(callId)?.name ?? ''
        return [this.frame({ type: 'tool_progress', tool_use_id: callId, tool_name, text, ...parentOf(output) })]
      }
      case 'plan':
        return [this.frame({ type: 'system', subtype: 'plan', items: output.items, ...parentOf(output) })]
      case 'system':
        return [this.frame({ ...fieldsOf(output.data), type: 'system', subtype: output.subtype })]
      case 'raw':
        return []
    }
  }

  /** The policy, the client or nobody's answer was against it. */
  denied({ callId, toolName, input }: Pick<PermissionRequest, 'callId' | 'toolName' | 'input'>): void {
    this.denials.set(callId, { tool_name: toolName, tool_use_id: callId, tool_input: input })
  }

  delta(delta: LiveDelta): Frame[] {
    if (!this.options.wantsPartial) return []
    return this.live.delta(delta).map((event) => this.event(event, delta))
  }

  end(info: TurnCompleteInfo): Frame[] {
    const { reason = 'completed', duration = 0, cost, usage, error } = info
    const { apiDuration = duration, numTurns = Math.max(1, this.messages), stopReason, denials = [] } = info
    const isError = reason !== 'completed'
    const result = error?.message ?? this.lastText
    for (const { toolName, callId = '' } of denials) {
      if (!this.denials.has(callId)) this.denied({ callId, toolName, input: this.calls.get(callId)?.input ?? {} })
    }
    this.calls.clear()
    return [
      ...this.live.close().map(({ event, parentCallId }) => this.event(event, { parentCallId })),
      this.frame({
        type: 'result',
        subtype: subtypes[reason],
        is_error: isError,
        duration_ms: duration,
        duration_api_ms: apiDuration,
        num_turns: numTurns,
        result,
        stop_reason: stopReason ?? null,
        ...(isError ? { errors: [error?.message ?? endings[reason]] } : {}),
        total_cost_usd: cost ?? 0,
        usage: {
          input_tokens: usage?.inputTokens ?? 0,
          cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
          cache_read_input_tokens: usage?.cachedTokens ?? 0,
          output_tokens: usage?.outputTokens ?? 0,
        },
        modelUsage: {},
        permission_denials: [...this.denials.values()],
      }),
    ]
  }

  /** The block that was streamed is closed before it is told whole. */
  private finished(output: Extract<BackendOutput, { kind: 'assistant_text' | 'thinking' }>, block: Frame): Frame[] {
    const closed = output.blockId === undefined ? [] : this.live.finish(output.blockId)
    return [...closed.map((event) => this.event(event, output)), this.assistant(output, block)]
  }

  private assistant(output: { parentCallId?: string | undefined }, block: Frame): Frame {
    this.messages += 1
    const message = {
      id: this.options.newId(),
      type: 'message',
      role: 'assistant',
      model: this.options.model ?? 'default',
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    }
    return this.frame({ type: 'assistant', message, ...parentOf(output) })
  }

  private toolResult(output: Extract<BackendOutput, { kind: 'tool_result' }>): Frame {
    const { callId, isError = false } = output
    const text = output.toModel ?? output.output
    const content = typeof text === 'string' ? text : (JSON.stringify(text) ?? '')
    const block = { type: 'tool_result', tool_use_id: callId, content, is_error: isError }
    return this.frame({
      type: 'user',
      message: { role: 'user', content: [block] },
      tool_use_result: output.output,
      ...parentOf(output),
    })
  }

  private event(event: Frame, of: { parentCallId?: string | undefined }): Frame {
    return this.frame({ type: 'stream_event', event, ...parentOf(of) })
  }

  private frame(fields: Frame): Frame {
    return { ...fields, session_id: this.sessionId, uuid: this.options.newId() }
  }
}

const subtypes: Readonly<Record<NonNullable<TurnCompleteInfo['reason']>, string>> = {
  completed: 'success',
  interrupted: 'error_during_execution',
  failed: 'error_during_execution',
  max_turns: 'error_max_turns',
  budget: 'error_max_budget_usd',
}

/** Where the program gives no reason. */
const endings: typeof subtypes = {
  completed: '',
  interrupted: 'The turn was interrupted.',
  failed: 'The turn failed.',
  max_turns: 'The turn reached its limit of steps.',
  budget: 'The turn reached its limit of cost.',
}

const parentOf = ({ parentCallId }: { parentCallId?: string | undefined }) => ({
  parent_tool_use_id: parentCallId ?? null,
})

const fieldsOf = (data: unknown): Frame =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : { data }
