/**
 * Translates the frames of a program into effects in the words of the contract. There is no I/O and no clock: the same frames give the
 * same effects, so tests can replay recorded traces.
 */
import { AskQueues, type RpcId, type RpcOutcome } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type PermissionDecision, type PlanItem, tokenBudgetWarning } from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { type Ask, cancelled, outcomeOf } from './asks'
import { Blocks } from './blocks'
import { Calls, type NameCall } from './calls'
import { commandsOf } from './commands'
import { type Effect, output, system } from './effects'
import { choicesOf } from './options'
import { Turn } from './turn'

export interface TranslatorPlace {
  backend: string
  sessionId: string
  /** Unique for this process. */
  blockPrefix: string
  /** A conversation without a past. */
  isNew: boolean
  workDir: string
  nameCall: NameCall
  /** What the program asks about only because it was told to. */
  harmlessCall?(call: { toolName: string; input: unknown }): { reads?: string } | null
  /** A turn without a word has failed. */
  failsSilently?: true | undefined
  /** A command that is not offered. */
  isRefused?(command: string): boolean
  /** What one answer may take of the window. */
  maxOutputTokens?: number | undefined
}

/** The program has no rules of its own that the host would have to know. */
const nothingAllowed = { anything: false, edits: false, commands: [], asks: [] }

type Handler = (update: Json) => Effect[]

/** The top of the ladder of the contract. */
const defaultMaxOutputTokens = 32_000

export class Translator {
  readonly turn: Turn
  private readonly blocks: Blocks
  private readonly calls: Calls
  private readonly asks = new AskQueues<Ask>()
  private isBudgetWarned = false

  constructor(private readonly place: TranslatorPlace) {
    this.turn = new Turn(place.isNew)
    this.blocks = new Blocks(place.blockPrefix)
    this.calls = new Calls(place.nameCall)
  }

  update(params: Json): Effect[] {
    const update = asRecord(params.update)
    const kind = asText(update.sessionUpdate) ?? ''
    const handler = Object.hasOwn(this.handlers, kind) ? this.handlers[kind] : undefined
    const isOurs = params.sessionId === this.place.sessionId
    return handler && isOurs ? handler(update) : [this.raw(params)]
  }

  stray(payload: unknown): Effect[] {
    return [this.raw(payload)]
  }

  tooLong({ bytes, head, tail }: LineEnds): Effect[] {
    return [this.raw({ lineOf: bytes, head, tail }), system('line_dropped', { bytes })]
  }

  ask(id: RpcId, params: Json): Effect[] {
    const toolCall = asRecord(params.toolCall)
    const callId = asText(toolCall.toolCallId) ?? `ask-${id}`
    const choices = choicesOf(params.options)
    if (params.sessionId !== this.place.sessionId || this.turn.isIdle || this.calls.isClosed(callId)) {
      return [this.raw({ id, params }), { type: 'answer', id, outcome: cancelled }]
    }
    const before = [...this.blocks.finish(), ...this.calls.closeRefused(callId)]
    const { told, call, title } = this.calls.ask(callId, toolCall)
    if (!choices) return [...before, ...told, ...this.refuseUnknown(id, callId, params)]
    const { backend, workDir: cwd } = this.place
    // The title often is the command itself, which is in the input.
    const reason = Object.values(asRecord(call.input)).includes(title) ? undefined : title
    const harmless = this.place.harmlessCall?.(call)
    const byOwnRules = harmless ? { ...nothingAllowed, ...harmless } : undefined
    const meta = compact({ backend, canEdit: false, canExplainDeny: false, reason, cwd, byOwnRules })
    const ask: Ask = { id, choices, request: { callId, ...call, meta } }
    return [...before, ...told, ...(this.asks.add(ask) ? [{ type: 'ask' as const, request: ask.request }] : [])]
  }

  askFor(callId: string): Ask | undefined {
    return this.asks.shown(callId)
  }

  decided(ask: Ask, decision: PermissionDecision): Effect[] {
    const { callId } = ask.request
    const isAllowed = decision.unanswered !== true && decision.decision.startsWith('allow')
    const isDenied = decision.unanswered !== true && decision.decision === 'deny'
    if (!isAllowed) this.calls.refused(callId, decision.unanswered ? 'Nobody answered.' : 'Refused.')
    const next = this.asks.remove((one) => one === ask)?.next
    return [
      ...(isDenied && decision.reason ? [system('reason_undelivered', { callId })] : []),
      { type: 'answer', id: ask.id, outcome: outcomeOf(ask, decision) },
      ...(next ? [{ type: 'ask' as const, request: next.request }] : []),
    ]
  }

  /** The turn is being cancelled: nothing is asked any more. */
  withdrawAsks(): Effect[] {
    return this.withdraw()
  }

  turnEnded(outcome: RpcOutcome): Effect[] {
    const info = this.turn.end(this.place.failsSilently ? this.turn.judged(outcome) : outcome)
    return [
      ...this.blocks.finish(),
      ...this.withdraw(),
      ...this.calls.endTurn(info.reason === 'interrupted'),
      { type: 'turn_completed', info: { ...info, backendSessionId: this.place.sessionId } },
    ]
  }

  private readonly handlers: Readonly<Record<string, Handler>> = {
    agent_message_chunk: (update) => this.chunk('assistant_text', update),
    agent_thought_chunk: (update) => this.chunk('thinking', update),
    tool_call: (update) => this.call(update),
    tool_call_update: (update) => this.call(update),
    plan: (update) => [...this.blocks.finish(), output({ kind: 'plan', items: planOf(update.entries) })],
    available_commands_update: (update) => [
      { type: 'commands', commands: commandsOf(update.availableCommands, this.place.isRefused ?? (() => false)) },
    ],
    current_mode_update: (update) => {
      const mode = asText(update.currentModeId)
      return mode === undefined ? [] : [{ type: 'mode', mode }]
    },
    usage_update: (update) => this.count(update),
  }

  /** Outside of a turn nothing says where a block ends: each chunk is one. */
  private chunk(kind: 'assistant_text' | 'thinking', update: Json): Effect[] {
    const { type, text } = asRecord(update.content)
    this.turn.heard(update)
    const before = this.calls.closeRefused()
    if (type !== 'text' || typeof text !== 'string') return [...before, ...this.blocks.finish(), this.raw(update)]
    if (this.turn.isIdle) return text === '' ? before : [...before, output({ kind, text })]
    return [...before, ...this.blocks.add(kind, text, asText(update.messageId))]
  }

  private call(update: Json): Effect[] {
    const callId = asText(update.toolCallId)
    if (callId === undefined) return [this.raw(update)]
    this.turn.heard(update)
    const told = this.calls.update(callId, update, this.turn.isCancelling)
    const over = this.calls.isClosed(callId) ? this.withdraw(callId) : []
    return [...this.blocks.finish(), ...over, ...this.calls.closeRefused(callId), ...told]
  }

  private count(update: Json): Effect[] {
    const context = this.turn.count(update)
    if (!context) return []
    const { maxOutputTokens = defaultMaxOutputTokens } = this.place
    const { warned, warning } = tokenBudgetWarning({
      used: context.used,
      window: context.total,
      maxOutputTokens,
      warned: this.isBudgetWarned,
    })
    this.isBudgetWarned = warned
    return warning ? [{ type: 'budget', warning }] : []
  }

  /** No option lets the call run this once, by any kind that we know: nobody is asked what cannot be answered. */
  private refuseUnknown(id: RpcId, callId: string, params: Json): Effect[] {
    this.calls.refused(callId, 'Refused.')
    const kinds = asList(params.options).map((option) => asText(asRecord(option).kind) ?? 'none')
    const message = `The program offers no way to allow this once (it offers: ${kinds.join(', ') || 'nothing'}).`
    return [system('ask_refused', { code: 'UNSUPPORTED', callId, message }), { type: 'answer', id, outcome: cancelled }]
  }

  /** The first of each call was shown. */
  private withdraw(callId?: string): Effect[] {
    const calls = this.asks.removeCalls(({ request }) => callId === undefined || request.callId === callId)
    return calls.flatMap((asks) =>
      asks.flatMap(({ id, request }, at): Effect[] => [
        ...(at === 0 ? [{ type: 'withdrawn' as const, callId: request.callId }] : []),
        { type: 'answer', id, outcome: cancelled },
      ]),
    )
  }

  private raw(payload: unknown): Effect {
    return output({ kind: 'raw', backend: this.place.backend, payload })
  }
}

function planOf(entries: unknown): PlanItem[] {
  return asList(entries).map((entry) => {
    const { content, status } = asRecord(entry)
    const known = status === 'completed' || status === 'in_progress' ? status : ('pending' as const)
    return { text: asText(content) ?? '', status: known }
  })
}
