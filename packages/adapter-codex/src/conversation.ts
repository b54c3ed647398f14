/**
 * An open thread: what the contract asks of it becomes requests to Codex, and the effects of the translator are carried
 * out, in order. It knows nothing of the process below.
 */
import { randomUUID } from 'node:crypto'
import type { Relay } from '@roundhouse/adapter-kit'
import { type Rpc, RpcError } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import {
  type BackendConfiguration,
  type BackendImage,
  CodedError,
  type ContextUsage,
  type PermissionDecision,
  refusalWords,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { profileOf } from './denied-files'
import { approvalPolicyOf, effortOf, sandboxPolicyOf } from './program/settings'
import { Steers } from './steers'
import { type Ask, abortNeedsInterrupt, replyTo } from './translate/asks'
import { type Effect, system } from './translate/effects'
import { Translator } from './translate/translate'

export interface ConversationPlace {
  threadId: string
  options: SpawnOptions
  /** What the sandbox of the thread allows from the start, by the owner's configuration. */
  networkAccess: boolean
  /** The sandbox is one of our profiles, which deny files. */
  profiles: boolean
  rpc: Rpc
  relay: Relay
  /** A command was ended that its turn had left running. */
  commandEnded(callId: string): void
}

export class Conversation {
  private readonly translator: Translator
  /** Codex keeps what a turn was started with for the whole thread, so a change is sent once, with the next turn. */
  private change: Json = {}
  private readonly queue: Array<() => void> = []
  private turnReply: Promise<void> = Promise.resolve()
  private readonly steers = new Steers()

  constructor(private readonly place: ConversationPlace) {
    this.translator = new Translator(place.threadId, place.options.maxOutputTokens)
  }

  get threadId(): string {
    return this.place.threadId
  }

  translated(translate: (translator: Translator) => Effect[]): void {
    this.apply(translate(this.translator))
  }

  send(text: string, images: readonly BackendImage[] = []): void {
    this.sendInput(inputOf(text, images))
  }

  async steer(text: string, images: readonly BackendImage[] = [], begins = () => {}): Promise<boolean> {
    await this.turnReply
    const { threadId, rpc } = this.place
    const expectedTurnId = this.translator.turn.id
    if (expectedTurnId === undefined) return false
    const clientUserMessageId = randomUUID()
    return new Promise((resolve, reject) => {
      this.steers.sent(clientUserMessageId, () => {
        begins()
        resolve(true)
      })
      const params = { threadId, expectedTurnId, input: inputOf(text, images), clientUserMessageId }
      rpc.call('turn/steer', params, (outcome) => {
        const { namesPrompts, turn } = this.translator
        if (outcome.ok) return this.steers.accepted(clientUserMessageId, !namesPrompts || turn.id !== expectedTurnId)
        this.steers.refused(clientUserMessageId)
        if (outcome.error instanceof RpcError) resolve(false)
        else reject(outcome.error)
      })
    })
  }

  async interrupt(): Promise<void> {
    await this.turnReply
    const turns = [...this.translator.subTurns]
    const { id } = this.translator.turn
    if (id !== undefined) turns.unshift([this.place.threadId, id])
    await Promise.all(turns.map(([threadId, turnId]) => this.interruptTurn(threadId, turnId)))
  }

  /** A command that runs on, or a sub-agent. */
  async stopTask(taskId: string): Promise<void> {
    const threadId = this.translator.threadOfCommand(taskId)
    if (threadId !== undefined) {
      this.translator.commandStopping(taskId)
      await this.terminate(threadId, taskId)
      this.translated((translator) => translator.commandStopped(taskId))
      return
    }
    const turnId = this.translator.subTurns.get(taskId)
    if (turnId === undefined) throw new CodedError('ALREADY_ENDED')
    await this.interruptTurn(taskId, turnId)
  }

  configure(change: BackendConfiguration): void {
    const next: Json = {}
    if (change.model !== undefined) next.model = change.model
    if (change.mode !== undefined) next.approvalPolicy = approvalPolicyOf(change.mode)
    if (change.thinking !== undefined) next.effort = effortOf(change.thinking)
    if (change.sandbox !== undefined) {
      const { options, networkAccess, profiles } = this.place
      if (profiles) next.permissions = profileOf(change.sandbox)
      else next.sandboxPolicy = sandboxPolicyOf(change.sandbox, options.additionalDirs ?? [], networkAccess)
    }
    this.change = { ...this.change, ...next }
  }

  async decide(decision: PermissionDecision): Promise<void> {
    const ask = this.translator.askFor(decision.callId)
    if (!ask) throw new CodedError('REQUEST_GONE')
    if (decision.updatedInput !== undefined && ask.request.meta?.canEdit !== true) {
      throw new CodedError('UNSUPPORTED', 'Codex runs what it asked about, or nothing.', { callId: decision.callId })
    }
    const { decision: word, unanswered, reason } = decision
    if (word === 'deny' && !unanswered && reason) await this.explain(ask, reason)
    // The turn may have ended while the reason was on its way, and the question with it.
    if (this.translator.askFor(decision.callId) !== ask) throw new CodedError('REQUEST_GONE')
    const reply = replyTo(ask, decision)
    if (reply.ok) this.place.rpc.reply(ask.id, reply.result)
    else this.place.rpc.replyError(ask.id, reply.code, reply.message)
    this.translated((translator) => translator.decided(ask, decision))
    if (word === 'abort' && !unanswered && abortNeedsInterrupt(ask, this.place.threadId)) await this.interrupt()
  }

  /** At once, or behind a turn that began by itself: Codex would take a prompt as a steer, without a turn of its own. */
  whenIdle(work: () => void): void {
    if (this.translator.turn.isIdle) work()
    else this.queue.push(work)
  }

  compact(): void {
    this.whenIdle(() => this.startTurn('thread/compact/start', {}, {}))
  }

  get contextUsage(): ContextUsage | undefined {
    return this.translator.turn.context
  }

  private sendInput(input: Json[]): void {
    this.whenIdle(() => {
      const { change } = this
      this.change = {}
      this.startTurn('turn/start', { input, ...change }, change)
    })
  }

  private startTurn(method: string, params: Json, change: Json): void {
    const { threadId, rpc } = this.place
    const { turn } = this.translator
    turn.request()
    this.turnReply = new Promise((resolve) => {
      rpc.call(method, { threadId, ...params }, (outcome) => {
        const turnId = outcome.ok ? asText(asRecord(asRecord(outcome.result).turn).id) : undefined
        // Of a compaction only `turn/started` names the turn.
        if (turnId !== undefined) turn.accept(turnId)
        else if (outcome.ok) return resolve()
        // Any other error is the end of the process, and then the host ends the turn.
        else if (outcome.error instanceof RpcError) this.turnRefused(change, outcome.error.message)
        resolve()
      })
    })
  }

  private turnRefused(change: Json, message: string): void {
    this.change = { ...change, ...this.change }
    this.translated((translator) => translator.turnRefused({ code: 'BACKEND_ERROR', message }))
  }

  private async explain(ask: Ask, reason: string): Promise<void> {
    // Before the refusal: then it waits in the queue of the turn, and the model reads it right after the refusal.
    const taken =
      ask.turnId !== undefined && (await this.steerTurn(ask.threadId, ask.turnId, inputOf(refusalWords(reason))))
    if (!taken) this.apply([system('reason_undelivered', { callId: ask.request.callId })])
  }

  private async steerTurn(threadId: string, expectedTurnId: string, input: Json[]): Promise<boolean> {
    try {
      await this.place.rpc.request('turn/steer', { threadId, expectedTurnId, input })
      return true
    } catch (error) {
      if (error instanceof RpcError) return false
      throw error
    }
  }

  private async interruptTurn(threadId: string, turnId: string): Promise<void> {
    await this.place.rpc.request('turn/interrupt', { threadId, turnId }).catch((error) => {
      // It was over before the interrupt arrived.
      if (!(error instanceof RpcError)) throw error
    })
  }

  private apply(effects: Effect[]): void {
    for (const effect of effects) this.applyOne(effect)
  }

  private applyOne(effect: Effect): void {
    const { relay, rpc } = this.place
    switch (effect.type) {
      case 'refuse':
        rpc.replyError(effect.id, -32_601, effect.message)
        break
      case 'terminate':
        void this.terminate(effect.threadId, effect.callId)
        break
      case 'prompt_begins':
        this.steers.begins(effect.id)
        break
      default:
        if (effect.type === 'turn_completed') this.steers.turnEnds()
        relay.report(effect)
        if (effect.type === 'turn_completed') this.sendQueued()
    }
  }

  private sendQueued(): void {
    const next = this.queue.shift()
    if (next !== undefined) this.whenIdle(next)
  }

  /** Codex knows a running command by a process of its own numbering, which it names in this list only. */
  private async terminate(threadId: string, callId: string): Promise<void> {
    const { rpc, commandEnded } = this.place
    const list = rpc.request('thread/backgroundTerminals/list', { threadId }).catch(() => ({}))
    const running = asList(asRecord(await list).data).map(asRecord)
    for (const { processId } of running.filter(({ itemId }) => itemId === callId)) {
      await rpc.request('thread/backgroundTerminals/terminate', { threadId, processId }).catch(() => {})
    }
    commandEnded(callId)
  }
}

/** Images stand before the text that speaks of them. */
const inputOf = (text: string, images: readonly BackendImage[] = []): Json[] => [
  ...images.map(({ mediaType, data }) => ({ type: 'image', url: `data:${mediaType};base64,${data}` })),
  ...(text === '' && images.length > 0 ? [] : [{ type: 'text', text, text_elements: [] }]),
]
