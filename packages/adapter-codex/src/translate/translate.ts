/**
 * Everything that `codex app-server` says, as effects in the words of the contract. No I/O, no clock: the same frames
 * give the same effects, which is how the recorded traces are tested.
 */

import { AskQueues, type RpcId } from '@roundhouse/adapter-kit'
import { asList, asNumber, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type PermissionDecision, tokenBudgetWarning } from '@roundhouse/backend-types'
import { askOf } from './ask-requests'
import type { Ask } from './asks'
import { Beside } from './beside'
import { Blocks, type Piece } from './blocks'
import { Calls, type Place } from './calls'
import { type Effect, output, raw, system } from './effects'
import { reasoningText, toolCallOf } from './items'
import { RateLimits } from './rate-limits'
import { Threads, threadOf } from './threads'
import { statusOf, Turn } from './turn'
import { httpStatusOf, limitEndOf, turnErrorOf } from './turn-errors'

type Handler = (params: Json, place: Place) => Effect[]

/** The top of the ladder of the contract. */
const defaultMaxOutputTokens = 32_000

export class Translator {
  readonly turn = new Turn()
  /** Turns of sub-agents that are running: an interrupt has to end them as well. */
  readonly subTurns = new Map<string, string>()
  private readonly threads: Threads
  private readonly blocks = new Blocks()
  private readonly calls = new Calls()
  private readonly asks = new AskQueues<Ask>()
  private readonly beside: Beside
  /** Codex repeats a few warnings with every turn. */
  private readonly warned = new Set<string>()

  /** This Codex says by its id which prompt it begins with. */
  namesPrompts = false
  private readonly rateLimits = new RateLimits()
  private isBudgetWarned = false
  /** What the conversation held when its compaction began. */
  private compactedFrom: number | undefined
  /** When the limit ends that is used up. */
  private limitEnd: number | undefined

  /** `maxOutputTokens`: what one answer may take of the window. */
  constructor(
    readonly threadId: string,
    private readonly maxOutputTokens = defaultMaxOutputTokens,
  ) {
    this.threads = new Threads(threadId)
    this.beside = new Beside(this.calls, this.threads)
  }

  notification(method: string, params: Json): Effect[] {
    const threadId = threadOf(params)
    const kind = threadId === undefined ? 'main' : this.threads.kindOf(threadId)
    if (threadId !== undefined && kind === 'unknown' && (method.startsWith('item/') || method === 'turn/completed')) {
      return this.threads.hold(threadId, { method, params }).map(raw)
    }
    const handler = kind === 'stranger' ? undefined : this.handlers[method]
    if (!handler) return [raw({ method, params })]
    const place = { threadId: threadId ?? this.threadId, parentCallId: threadId && this.threads.parentCallOf(threadId) }
    return handler(params, { threadId: place.threadId, parentCallId: place.parentCallId || undefined })
  }

  request(id: RpcId, method: string, params: Json): Effect[] {
    const ask = askOf(id, method, params, {
      call: (callId) => this.calls.get(callId),
      findMcp: (threadId, toolName, input) =>
        this.calls.findMcp(threadId, toolName, input, (callId) => this.asks.isAsked(callId)),
    })
    if (!ask) return [raw({ id, method, params }), { type: 'refuse', id, message: `${method} is not supported.` }]
    const { callId, toolName, input } = ask.request
    const place = { threadId: ask.threadId, parentCallId: this.threads.parentCallOf(ask.threadId) }
    const begun = this.calls.beginAsked(callId, { toolName, input }, place)
    return [...begun, ...(this.asks.add(ask) ? [{ type: 'ask' as const, request: ask.request }] : [])]
  }

  /** The question that is shown for this call. */
  askFor(callId: string): Ask | undefined {
    return this.asks.shown(callId)
  }

  /** Somebody decided, or nobody did in time. */
  decided(ask: Ask, decision: PermissionDecision): Effect[] {
    const allowed = decision.unanswered !== true && decision.decision.startsWith('allow')
    // The request shows the answers, without the secret ones.
    const isQuestion = ask.kind === 'question' || ask.kind === 'form'
    const result = allowed
      ? isQuestion
        ? 'Answered.'
        : (decision.updatedInput ?? 'Allowed.')
      : decision.unanswered
        ? 'Nobody answered.'
        : 'Refused.'
    return this.settle(ask.id, result, !allowed, false)
  }

  /** The thread of a command that runs beside the turns. */
  threadOfCommand(callId: string): string | undefined {
    return this.calls.inBackground().find((command) => command.callId === callId)?.threadId
  }

  commandStopping(callId: string): void {
    this.calls.stopping(callId)
  }

  commandStopped(callId: string): Effect[] {
    return [...this.calls.drop(callId), ...this.beside.news()]
  }

  turnRefused(error: { code: string; message: string }): Effect[] {
    const refused = this.turn.refuse(error)
    return refused ? [{ type: 'turn_completed', info: { ...refused.info, backendSessionId: this.threadId } }] : []
  }

  private settle(id: RpcId, result: unknown, isError: boolean, withdrawn: boolean): Effect[] {
    const removed = this.asks.remove((ask) => ask.id === id)
    if (!removed) return []
    const { ask, wasShown, next } = removed
    const { callId } = ask.request
    return [
      ...(withdrawn && wasShown ? [{ type: 'withdrawn' as const, callId }] : []),
      ...(ask.madeUp ? this.calls.closeAsked(callId, result, isError) : []),
      ...(next ? [{ type: 'ask' as const, request: next.request }] : []),
    ]
  }

  private readonly handlers: Record<string, Handler> = {
    'turn/started': (params, { threadId }) => {
      const turnId = asText(asRecord(params.turn).id)
      if (turnId === undefined) return []
      if (threadId === this.threadId) return this.turn.start(turnId) ? [{ type: 'turn_started' }] : []
      this.subTurns.set(threadId, turnId)
      if (this.turn.isIdle) this.beside.helperGoesOn(threadId)
      return this.beside.news()
    },
    'turn/completed': (params, { threadId }) => this.endTurn(threadId, asRecord(params.turn)),
    'item/started': (params, place) => this.begin(asRecord(params.item), place),
    'item/completed': (params, place) => this.finish(asRecord(params.item), place),
    'item/agentMessage/delta': (params, place) => this.piece(params, place, { kind: 'assistant_text' }),
    'item/plan/delta': (params, place) => this.piece(params, place, { kind: 'assistant_text' }),
    'item/reasoning/summaryTextDelta': (params, place) =>
      this.piece(params, place, { kind: 'thinking', source: 'summary', part: asNumber(params.summaryIndex) }),
    'item/reasoning/textDelta': (params, place) =>
      this.piece(params, place, { kind: 'thinking', source: 'content', part: asNumber(params.contentIndex) }),
    'item/commandExecution/outputDelta': (params) => this.progress(params, params.delta),
    'item/commandExecution/terminalInteraction': (params) =>
      // Text typed into a running command can do as much as a command. An empty one only waits for output.
      params.stdin === '' || params.stdin === undefined
        ? []
        : [system('terminal_input', { callId: params.itemId, text: params.stdin })],
    'item/fileChange/patchUpdated': (params) => {
      this.calls.update(asText(params.itemId) ?? '', { changes: asList(params.changes) })
      return []
    },
    'item/mcpToolCall/progress': (params) => this.progress(params, params.message),
    'turn/plan/updated': (params, { parentCallId }) => [planOf(params, parentCallId)],
    'thread/tokenUsage/updated': (params, { threadId }) => [
      raw({ method: 'thread/tokenUsage/updated', params }),
      ...(threadId === this.threadId ? this.count(asRecord(params.tokenUsage)) : []),
    ],
    'serverRequest/resolved': (params) => {
      const id = asText(params.requestId) ?? asNumber(params.requestId)
      return id === undefined ? [] : this.settle(id, 'Taken back.', true, true)
    },
    error: (params, { threadId }) => this.error(params, threadId),
    warning: (params) => this.warn('warning', { message: params.message }),
    guardianWarning: (params) => this.warn('warning', { message: params.message }),
    configWarning: (params) =>
      this.warn('config_warning', compact({ message: params.summary, details: params.details, path: params.path })),
    'account/rateLimits/updated': (params) => {
      this.limitEnd = limitEndOf(params.rateLimits)
      return [raw({ method: 'account/rateLimits/updated', params }), ...this.rateLimits.read(params)]
    },
    'model/rerouted': (params) => [
      system('model_rerouted', { from: params.fromModel, to: params.toModel, reason: params.reason }),
    ],
    'mcpServer/startupStatus/updated': (params) =>
      params.status === 'failed'
        ? this.warn('mcp_server_failed', { name: params.name, message: params.error })
        : [raw({ method: 'mcpServer/startupStatus/updated', params })],
  }

  private begin(item: Json, place: Place): Effect[] {
    const id = asText(item.id)
    if (id === undefined) return []
    if (item.type === 'userMessage') return this.promptBegins(item, place)
    if (item.type === 'contextCompaction') {
      this.compactedFrom = this.turn.tokensUsed
      return [raw({ method: 'item/started', item })]
    }
    // A search is often started before its query is known; then its call is told together with its result.
    if (item.type === 'webSearch' && !item.query && !item.action) return []
    return [...this.calls.begin(id, item, place), ...this.release(item)]
  }

  private promptBegins({ clientId }: Json, { threadId }: Place): Effect[] {
    this.namesPrompts ||= clientId !== undefined
    const id = asText(clientId)
    return [...this.blocks.breakOff(threadId), ...(id === undefined ? [] : [{ type: 'prompt_begins' as const, id }])]
  }

  private finish(item: Json, place: Place): Effect[] {
    const id = asText(item.id)
    if (id === undefined) return [raw({ item })]
    switch (item.type) {
      case 'userMessage':
        return []
      case 'agentMessage':
      case 'plan':
        return this.blocks.finish(id, 'assistant_text', asText(item.text) ?? '', place.parentCallId)
      case 'reasoning':
        return this.blocks.finish(id, 'thinking', reasoningText(item, this.blocks.sourceOf(id)), place.parentCallId)
      case 'contextCompaction':
        return [system('conversation_compacted', this.compaction())]
      case 'subAgentActivity':
        if (item.kind === 'started') return this.finishCall(id, item, place)
        return [system('subagent', compact({ status: item.kind, agent: item.agentPath }))]
      case 'enteredReviewMode':
      case 'exitedReviewMode':
        return [
          system('review', {
            status: item.type === 'enteredReviewMode' ? 'started' : 'completed',
            review: item.review,
          }),
        ]
      default:
        return this.finishCall(id, item, place)
    }
  }

  /** Codex counts anew before it says that the compaction is done. */
  private compaction(): Json {
    const [before, after] = [this.compactedFrom, this.turn.tokensUsed]
    return compact({ tokensBefore: before, tokensAfter: after === before ? undefined : after })
  }

  private finishCall(id: string, item: Json, place: Place): Effect[] {
    const toolName = item.status === 'declined' ? toolCallOf(item)?.toolName : undefined
    if (toolName !== undefined) this.turn.denied({ toolName, callId: id })
    const effects = [...this.calls.complete(id, item, place), ...this.release(item), ...this.beside.news()]
    return effects.length ? effects : [raw({ method: 'item/completed', item })]
  }

  /** Plays the frames of sub-agents that waited for the call that started them. */
  private release(item: Json): Effect[] {
    return this.threads.learn(item).flatMap(({ method, params }) => this.notification(method, params))
  }

  private piece(params: Json, place: Place, piece: Pick<Piece, 'kind' | 'source' | 'part'>): Effect[] {
    const itemId = asText(params.itemId)
    const text = asText(params.delta)
    return itemId === undefined || text === undefined ? [] : this.blocks.add({ ...piece, ...place, itemId, text })
  }

  private progress(params: Json, text: unknown): Effect[] {
    const callId = asText(params.itemId)
    return callId === undefined ? [] : this.calls.progress(callId, asText(text) ?? '')
  }

  private endTurn(threadId: string, turn: Json): Effect[] {
    const isMain = threadId === this.threadId
    const ended = isMain ? this.turn.complete(turn, this.limitEnd) : { status: statusOf(turn.status), info: undefined }
    if (!ended) return [raw({ method: 'turn/completed', turn })]
    if (isMain) {
      for (const helper of this.subTurns.keys()) this.beside.helperGoesOn(helper)
      this.blocks.leaveThoughts(threadId)
    } else this.subTurns.delete(threadId)
    const left = [
      ...this.blocks.finishAll(threadId),
      ...this.withdrawAll(threadId),
      ...this.calls.endTurn(threadId, ended.status),
      ...(isMain ? [] : this.beside.helperRests(threadId, ended.status)),
      ...this.beside.news(),
    ]
    if (!ended.info) return left
    const lost = this.threads.giveUp().map(raw)
    return [...left, ...lost, { type: 'turn_completed', info: { ...ended.info, backendSessionId: this.threadId } }]
  }

  private count(tokenUsage: Json): Effect[] {
    const context = this.turn.count(tokenUsage)
    if (!context) return []
    const { maxOutputTokens, isBudgetWarned } = this
    const reading = { used: context.used, window: context.total, maxOutputTokens, warned: isBudgetWarned }
    const { warned, warning } = tokenBudgetWarning(reading)
    this.isBudgetWarned = warned
    return warning ? [{ type: 'budget', warning }] : []
  }

  private withdrawAll(threadId: string): Effect[] {
    const removed = this.asks.removeCalls((shown) => shown.threadId === threadId)
    return removed.flatMap(([shown]) => (shown ? [{ type: 'withdrawn', callId: shown.request.callId }] : []))
  }

  private error(params: Json, threadId: string): Effect[] {
    const error = asRecord(params.error)
    const data = compact({
      ...turnErrorOf(error),
      httpStatus: httpStatusOf(error.codexErrorInfo),
      details: error.additionalDetails,
    })
    if (params.willRetry === true) return [...this.blocks.discardAll(threadId), system('retry', data)]
    return [...this.blocks.finishAll(threadId), system('error', data)]
  }

  private warn(subtype: string, data: Json): Effect[] {
    const key = `${subtype} ${JSON.stringify(data)}`
    if (this.warned.has(key)) return []
    this.warned.add(key)
    return [system(subtype, data)]
  }
}

function planOf(params: Json, parentCallId: string | undefined): Effect {
  const items = asList(params.plan).map((entry) => {
    const { step, status } = asRecord(entry)
    const known = status === 'completed' ? 'completed' : status === 'inProgress' ? 'in_progress' : 'pending'
    return { text: asText(step) ?? '', status: known } as const
  })
  return output({ kind: 'plan', items, ...(parentCallId === undefined ? {} : { parentCallId }) })
}
