/**
 * The state machine between the CLI's frames and the adapter's events. No process, no clock, no ids of its own.
 *
 *            send                           result
 *   idle ───────────► running (ours) ─────────────────► idle     turn_completed
 *   idle ── a message of the main conversation ──► running       turn_started, then as above
 *
 * A result before the program has begun with our prompt ends a turn of its own (`PromptStart`): ours goes on.
 * `system/init` opens no turn: it comes with each one, but also alone. Sub-agents may go on while idle: what they say has
 * a `parentCallId` and belongs to no turn, and ends with its sub-agent. A process that ends in a turn leaves it open; the host writes how it ended.
 */
import type { CodedReason, LiveDelta, PermissionDecision } from '@roundhouse/backend-types'
import { compact, type Frame, numberAt, parentOf, recordAt, recordsAt, textAt } from '../wire/frames'
import { Asks } from './asks'
import { Calls } from './calls'
import { Conversation } from './conversation'
import { limitEndOf, refusalOf } from './failures'
import { LiveBlocks } from './live-blocks'
import { ApiTimeMeter, ContextMeter, CostMeter, inputTokens } from './meters'
import { compactionOutput, failureOf, raw, systemOutput, toolProgress } from './outputs'
import { PromptStart } from './prompt-start'
import { RateLimits } from './rate-limits'
import { toolResult } from './results'
import type { StoredTask } from './stored-tasks'
import { Tasks } from './tasks'
import { answerOf, outputs, type Translated } from './translated'
import { readResult } from './turn-result'
import { unsupported } from './unsupported'

export interface TranslatorOptions {
  /** The conversation that this process was started for. */
  backendSessionId: string
  workDir: string
  /** Makes the ids of live blocks unique among all spawns of a session. */
  blockPrefix: string
  maxOutputTokens: number | undefined
  /** The mode it was started in; where nobody says, the first that it tells. */
  mode?: string
  /** The to-do list of a conversation that is resumed. */
  storedTasks?: readonly StoredTask[]
  /** What the CLI's counts of cost and time start at; undefined where it must be asked. */
  costBaseline: number | undefined
}

interface RunningTurn {
  interrupting: boolean
  /** Whether the main conversation said anything a person can read. */
  spoke: boolean
  failure?: string
  refusal?: CodedReason
}

export class Translator {
  readonly cost: CostMeter
  readonly apiTime: ApiTimeMeter
  private turn: RunningTurn | undefined
  private readonly asks: Asks
  private readonly blocks: LiveBlocks
  private readonly context: ContextMeter
  private readonly conversation: Conversation
  private readonly calls: Calls
  private readonly rateLimits = new RateLimits()
  private readonly promptStart = new PromptStart()
  private readonly tasks = new Tasks()
  private messageInput: number | undefined
  private resetsAt: number | undefined

  constructor(options: TranslatorOptions) {
    this.conversation = new Conversation(options.backendSessionId, options.mode, () => this.emptied())
    this.calls = new Calls(options.storedTasks, (callId) => this.tasks.runsOn(callId))
    this.cost = new CostMeter(options.costBaseline)
    this.apiTime = new ApiTimeMeter(options.costBaseline)
    this.asks = new Asks(options.workDir)
    this.blocks = new LiveBlocks(options.blockPrefix)
    this.context = new ContextMeter(options.maxOutputTokens)
  }

  get running(): boolean {
    return this.turn !== undefined
  }

  /** A prompt was written: its result is its end. `uuid`: by which the program speaks of it. */
  sent(uuid?: string): void {
    this.turn = { interrupting: false, spoke: false }
    this.promptStart.sent(uuid)
  }

  /** An interrupt was written. */
  interrupting(): void {
    if (this.turn) this.turn.interrupting = true
  }

  get currentMode(): string | undefined {
    return this.conversation.mode
  }

  /** It was told to go on in this mode; gives back the one before. */
  told(mode: string | undefined): string | undefined {
    return this.conversation.told(mode)
  }

  decide(decision: PermissionDecision): Frame {
    if (decision.mode !== undefined) this.told(decision.mode)
    if (decision.decision === 'abort' && !decision.unanswered) this.interrupting()
    return this.asks.replyTo(decision)
  }

  /** A form has no answer that ends the turn as well: the interrupt has to be told. */
  needsStop({ decision, unanswered, callId }: PermissionDecision): boolean {
    return decision === 'abort' && !unanswered && this.asks.isForm(callId)
  }

  /** The process is gone after an interrupt that it did not obey: that turn is over all the same. */
  abandon(): Translated[] {
    const turn = this.turn
    if (!turn?.interrupting && !turn?.refusal) return []
    this.turn = undefined
    const end = turn.interrupting
      ? { reason: 'interrupted' as const }
      : { reason: 'failed' as const, error: turn.refusal }
    return [
      ...this.cutShort(turn.interrupting),
      { type: 'turn_completed', info: compact({ backendSessionId: this.conversation.id, ...end }) },
    ]
  }

  /** What an interrupt cuts short stays as far as it was written: the CLI finishes a text, and says nothing of thoughts. */
  private cutShort(interrupted: boolean): Translated[] {
    return interrupted ? [] : this.liveOf(this.blocks.discard(undefined))
  }

  accept(frame: Frame): Translated[] {
    switch (textAt(frame, 'type')) {
      case 'assistant':
        return this.assistant(frame)
      case 'user':
        return [...this.calls.results(frame), ...this.taskNews(frame)]
      case 'stream_event':
        return this.stream(frame)
      case 'system':
        return this.system(frame)
      case 'result':
        return this.result(frame)
      case 'control_request':
        return this.request(frame)
      case 'control_cancel_request': {
        const callId = this.asks.withdrawn(frame)
        return callId === undefined ? [] : [{ type: 'withdrawn', callId }]
      }
      case 'control_response':
        return [answerOf(frame)]
      case 'rate_limit_event':
        this.resetsAt = limitEndOf(frame)
        return [{ type: 'output', output: this.rateLimits.read(frame) ?? raw(frame) }]
      case 'command_lifecycle':
        return this.promptStart.heard(frame) ? this.dropped() : []
      case 'tool_progress':
        return [{ type: 'output', output: toolProgress(frame, (callId) => this.calls.has(callId)) }]
      case 'conversation_reset':
        this.conversation.reset()
        return [{ type: 'output', output: raw(frame) }]
      default:
        return [{ type: 'output', output: raw(frame) }]
    }
  }

  private assistant(frame: Frame): Translated[] {
    const message = recordAt(frame, 'message')
    const { parentCallId } = parentOf(frame)
    const before = parentCallId === undefined ? this.begin() : []
    if (parentCallId === undefined) this.context.message(message)
    const failure = failureOf(frame)
    if (failure) {
      if (this.turn && parentCallId === undefined) {
        this.turn.failure = failure.category
        this.turn.spoke = true
      }
      const discarded = this.liveOf(this.blocks.discard(parentCallId))
      return [...before, ...discarded, { type: 'output', output: failure.output }]
    }
    const messageId = textAt(message, 'id') ?? ''
    return [...before, ...recordsAt(message, 'content').flatMap((block) => this.block(frame, messageId, block))]
  }

  private block(frame: Frame, messageId: string, block: Frame): Translated[] {
    switch (textAt(block, 'type')) {
      case 'text':
        return this.finished(frame, messageId, 'assistant_text', textAt(block, 'text') ?? '')
      case 'thinking':
        return this.finished(frame, messageId, 'thinking', textAt(block, 'thinking') ?? '')
      case 'tool_use':
      case 'server_tool_use':
        return this.calls.used(frame, block)
      default:
        return [{ type: 'output', output: toolResult(frame, block) ?? raw(block) }]
    }
  }

  private finished(frame: Frame, messageId: string, kind: LiveDelta['kind'], text: string): Translated[] {
    const parent = parentOf(frame)
    const { blockId, discarded } = this.blocks.finish(parent.parentCallId, messageId, kind)
    // Thinking whose text the service keeps to itself is an empty block: nothing to show and nothing to replace.
    if (text === '' && blockId === undefined) return this.liveOf(discarded)
    if (kind === 'assistant_text' && this.turn && parent.parentCallId === undefined) this.turn.spoke = true
    return [...this.liveOf(discarded), { type: 'output', output: compact({ kind, text, blockId, ...parent }) }]
  }

  private stream(frame: Frame): Translated[] {
    const event = recordAt(frame, 'event')
    const stays = this.turn?.interrupting === true && textAt(event, 'type') === 'message_stop'
    const live = stays ? [] : this.liveOf(this.blocks.stream(frame))
    if (parentOf(frame).parentCallId !== undefined) return live
    switch (textAt(event, 'type')) {
      case 'message_start':
        this.messageInput = inputTokens(recordAt(recordAt(event, 'message'), 'usage'))
        return [...this.begin(), ...live]
      case 'message_delta':
        this.context.answered(numberAt(recordAt(event, 'usage'), 'output_tokens'), this.messageInput)
        return [...live, ...this.budget()]
      default:
        return live
    }
  }

  private system(frame: Frame): Translated[] {
    switch (textAt(frame, 'subtype')) {
      case 'init':
        this.context.init(textAt(frame, 'model'))
        return this.conversation.init(frame)
      case 'compact_boundary':
        this.context.compacted(numberAt(recordAt(frame, 'compact_metadata'), 'post_tokens'))
        return [{ type: 'output', output: compactionOutput(frame) }, ...this.budget()]
      case 'api_retry':
        return [{ type: 'output', output: systemOutput(frame) }, ...this.retried(frame)]
      default:
        return [
          ...this.conversation.modeIn(frame),
          ...outputs([this.tasks.finishedBy(frame) ?? systemOutput(frame)]),
          ...this.taskNews(frame),
        ]
    }
  }

  /** With a key, the CLI tries ten times and for minutes what was refused for good. */
  private retried(frame: Frame): Translated[] {
    const refusal = refusalOf(frame)
    if (!refusal || !this.turn || this.turn.refusal) return []
    this.turn.refusal = refusal
    return [{ type: 'hopeless' }]
  }

  private taskNews(frame: Frame): Translated[] {
    const { running, ended } = this.tasks.heard(frame)
    return [
      ...(ended ? this.endHelper(ended.taskId, ended.callId) : []),
      ...(running ? [{ type: 'background' as const, running }] : []),
    ]
  }

  /** Nobody will report what it had open: its questions, and its calls, which it made under the call that started it. */
  private endHelper(agentId: string, startedBy: string | undefined): Translated[] {
    const asked = this.asks.leave(agentId).map((callId): Translated => ({ type: 'withdrawn', callId }))
    return [...asked, ...outputs(startedBy === undefined ? [] : this.calls.endHelper(startedBy))]
  }

  private emptied(): void {
    this.context.compacted(0)
    this.calls.clear()
  }

  private result(frame: Frame): Translated[] {
    const turn = this.turn
    if (turn && this.promptStart.isPending) return this.othersResult(turn, frame)
    const shares = { cost: this.cost.turn(frame), apiDuration: this.apiTime.turn(frame) }
    if (!turn) return [{ type: 'output', output: raw(frame) }]
    this.turn = undefined
    this.context.result(frame)
    const info = readResult(frame, { ...turn, resetsAt: this.resetsAt })
    const events = [...this.cutShort(info.reason === 'interrupted'), ...outputs(this.calls.endTurn())]
    // A command of the CLI itself (`/cost`) may answer in the result alone.
    const text = textAt(frame, 'result')
    if (!turn.spoke && info.reason === 'completed' && text) {
      events.push({ type: 'output', output: { kind: 'assistant_text', text } })
    }
    events.push(...this.budget())
    events.push({ type: 'turn_completed', info: compact({ ...info, ...shares, contextUsage: this.context.usage() }) })
    return events
  }

  /** What it cost counts with the prompt that waited for it. An interrupt goes on to that as well. */
  private othersResult({ interrupting }: RunningTurn, frame: Frame): Translated[] {
    this.turn = { interrupting, spoke: false }
    this.context.result(frame)
    return [...this.cutShort(interrupting), ...outputs([...this.calls.endTurn(), raw(frame)])]
  }

  private dropped(): Translated[] {
    this.turn = undefined
    return [{ type: 'turn_completed', info: { backendSessionId: this.conversation.id, reason: 'interrupted' } }]
  }

  private request(frame: Frame): Translated[] {
    const subtype = textAt(recordAt(frame, 'request'), 'subtype')
    if (subtype === 'can_use_tool') {
      const plan = this.calls.planOf(textAt(recordAt(frame, 'request'), 'tool_use_id'))
      return [{ type: 'ask', request: this.asks.asked(frame, plan) }]
    }
    if (subtype === 'elicitation') return [{ type: 'ask', request: this.asks.elicited(frame) }]
    return unsupported(frame, subtype)
  }

  begin(): Translated[] {
    if (this.turn) return []
    this.sent()
    return [{ type: 'turn_started' }]
  }

  private budget(): Translated[] {
    const warning = this.context.warning()
    return warning ? [{ type: 'budget', warning }] : []
  }

  private liveOf(deltas: LiveDelta[]): Translated[] {
    return deltas.map((delta) => ({ type: 'live', delta }))
  }
}
