/**
 * One running session: an app-server, its thread, and what is waited for. It carries out the effects of the translator
 * and turns the calls of the contract into requests. `start` either gives a session that is ready for its first prompt
 * or leaves nothing behind.
 */
import {
  type BackendConfiguration,
  type BackendOutput,
  CodedError,
  type ExitInfo,
  type LiveDelta,
  type PermissionDecision,
  type PermissionRequest,
  type SessionStartedInfo,
  type SpawnOptions,
  type TokenBudgetWarning,
  type TurnCompleteInfo,
  toCodedError,
} from '@roundhouse/backend-types'
import { type AppServer, type AppServerExit, startAppServer } from './app-server'
import { type Ask, abortNeedsInterrupt, replyTo } from './asks'
import { type Effect, raw, system } from './effects'
import type { Launch } from './launch'
import { Outbox } from './outbox'
import { asRecord, asText, type Json } from './read'
import { createRpc, type Rpc, RpcError } from './rpc'
import { approvalPolicyOf, effortOf, sandboxPolicyOf } from './settings'
import { removeStrayMounts, watchStrayMounts } from './stray-mounts'
import { Translator } from './translate'
import { threadErrorOf } from './turn-errors'

export interface SessionEvents {
  started: SessionStartedInfo
  output: BackendOutput
  live: LiveDelta
  ask: PermissionRequest
  withdrawn: string
  turnStarted: undefined
  turnComplete: TurnCompleteInfo
  budget: TokenBudgetWarning
  error: Error
  exit: { code: number | null; info: ExitInfo }
}

export interface SessionPlan {
  command: string
  launch: Launch
  options: SpawnOptions
  workDir: string
  timing: Timing
  /** Removes what belongs to this process alone. */
  cleanUp(): Promise<void>
}

export interface Timing {
  /** For each answer that a start needs. */
  startTimeoutMs: number
  /** Between the request to end and the kill. */
  endGraceMs: number
}

export const defaultTiming: Timing = { startTimeoutMs: 60_000, endGraceMs: 5_000 }

const clientInfo = { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' }

export class CodexSession {
  readonly outbox = new Outbox<SessionEvents>()
  private readonly rpc: Rpc
  private server: AppServer | undefined
  private translator: Translator | undefined
  /** Codex keeps what a turn was started with for the whole thread, so a change is sent once, with the next turn. */
  private change: Json = {}
  private networkAccess = false
  private readonly queue: string[] = []
  private turnReply: Promise<void> = Promise.resolve()
  private ending: Promise<void> | undefined
  /** Folders that a killed command may leave in the workspace. */
  private strays: string[] = []
  /** What was said before the thread was there. */
  private early: Array<() => void> = []

  private constructor(private readonly plan: SessionPlan) {
    this.rpc = createRpc((line) => this.server?.write(line), {
      notification: (method, params) => this.translated((t) => t.notification(method, asRecord(params))),
      request: (id, method, params) => this.translated((t) => t.request(id, method, asRecord(params))),
      stray: (payload) => this.translated(() => [raw(payload)]),
    })
  }

  static async start(plan: SessionPlan): Promise<CodexSession> {
    const session = new CodexSession(plan)
    try {
      await session.launch()
      await session.handshake()
      await session.openThread()
      return session
    } catch (error) {
      await session.end()
      throw error
    }
  }

  get pid(): number | undefined {
    return this.server?.pid
  }

  isAlive(): boolean {
    return this.ending === undefined && this.server?.hasExited() === false
  }

  send(input: string): void {
    this.outbox.open()
    if (this.active.turn.isIdle) this.startTurn(input)
    // A turn that began by itself is running: Codex would take the prompt as a steer, without a turn of its own.
    else this.queue.push(input)
  }

  async steer(input: string): Promise<boolean> {
    await this.turnReply
    const turnId = this.active.turn.id
    return turnId === undefined ? false : this.steerTurn(this.active.threadId, turnId, input)
  }

  async interrupt(): Promise<void> {
    await this.turnReply
    const turns = [...this.active.subTurns]
    if (this.active.turn.id !== undefined) turns.unshift([this.active.threadId, this.active.turn.id])
    await Promise.all(turns.map(([threadId, turnId]) => this.interruptTurn(threadId, turnId)))
  }

  configure(change: BackendConfiguration): void {
    if (change.model !== undefined) this.change.model = change.model
    if (change.mode !== undefined) this.change.approvalPolicy = approvalPolicyOf(change.mode)
    if (change.thinking !== undefined) this.change.effort = effortOf(change.thinking)
    if (change.sandbox !== undefined) {
      this.change.sandboxPolicy = sandboxPolicyOf(
        change.sandbox,
        this.plan.options.additionalDirs ?? [],
        this.networkAccess,
      )
    }
  }

  async answer(decision: PermissionDecision): Promise<void> {
    const ask = this.active.askFor(decision.callId)
    if (!ask) throw new CodedError('REQUEST_GONE')
    if (decision.updatedInput !== undefined && ask.request.meta?.canEdit !== true) {
      throw new CodedError('UNSUPPORTED', 'Codex runs what it asked about, or nothing.', { callId: decision.callId })
    }
    if (decision.decision === 'deny' && !decision.unanswered && decision.reason)
      await this.explain(ask, decision.reason)
    // The turn may have ended while the reason was on its way, and the question with it.
    if (this.active.askFor(decision.callId) !== ask) throw new CodedError('REQUEST_GONE')
    const reply = replyTo(ask, decision)
    if (reply.ok) this.rpc.reply(ask.id, reply.result)
    else this.rpc.replyError(ask.id, reply.code, reply.message)
    this.translated((translator) => translator.answered(ask, decision))
    const isAbort = decision.decision === 'abort' && !decision.unanswered
    if (isAbort && abortNeedsInterrupt(ask, this.active.threadId)) await this.interrupt()
  }

  /** Ends the process without `onExit`. */
  end(): Promise<void> {
    this.ending ??= this.stop()
    return this.ending
  }

  private get active(): Translator {
    if (!this.translator) throw new CodedError('INTERNAL', 'The thread has not been started yet.')
    return this.translator
  }

  private async launch(): Promise<void> {
    const { command, launch, options, workDir } = this.plan
    this.strays = await watchStrayMounts([workDir, ...(options.additionalDirs ?? [])])
    this.server = await startAppServer({
      command,
      args: launch.args,
      env: launch.env,
      cwd: workDir,
      onLine: (line) => this.rpc.receive(line),
      onTooLong: (bytes) => this.translated(() => [system('line_dropped', { bytes })]),
    }).catch((cause) => {
      throw new CodedError('BACKEND_UNAVAILABLE', `Codex could not be started: ${String(cause)}`, undefined, cause)
    })
    void this.server.exited.then((exit) => this.exited(exit))
  }

  private async handshake(): Promise<void> {
    // The experimental interface is what ends a command that an interrupted turn leaves running.
    const capabilities = { experimentalApi: true, requestAttestation: false }
    await this.beforeItDies(this.rpc.request('initialize', { clientInfo, capabilities }))
    this.rpc.notify('initialized')
    const account = asRecord(await this.beforeItDies(this.rpc.request('account/read', {}).catch(ignoreUnknownMethod)))
    if (account.account === null && account.requiresOpenaiAuth === true) {
      throw new CodedError('BACKEND_AUTH', 'Codex is not logged in on this machine. Run: codex login')
    }
  }

  private async openThread(): Promise<void> {
    const { options, launch } = this.plan
    const { resumeId } = options
    const method = resumeId === undefined ? 'thread/start' : 'thread/resume'
    const params = resumeId === undefined ? launch.thread : { ...launch.thread, threadId: resumeId, excludeTurns: true }
    const opened = new Promise<void>((resolve, reject) => {
      this.rpc.call(method, params, (outcome) => {
        if (!outcome.ok) return reject(threadErrorOf(outcome.error, resumeId !== undefined))
        this.threadOpened(asRecord(outcome.result))
        resolve()
      })
    })
    await this.beforeItDies(opened)
  }

  /** A program that ends, or says nothing, must not keep the spawn waiting. */
  private async beforeItDies<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new CodedError('BACKEND_TIMEOUT')), this.plan.timing.startTimeoutMs)
    })
    try {
      return await Promise.race([work, late])
    } catch (error) {
      if (!this.server?.hasExited()) throw error
      const { code, signal, stderrTail } = await this.server.exited
      throw new CodedError('BACKEND_UNAVAILABLE', `Codex ended at once (${signal ?? code}). ${stderrTail}`.trim())
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs in the tick of the reply, so that no frame of the thread is read before its translator is there. */
  private threadOpened(result: Json): void {
    const threadId = asText(asRecord(result.thread).id) ?? ''
    this.networkAccess = asRecord(result.sandbox).networkAccess === true
    this.translator = new Translator(threadId, this.plan.options.maxOutputTokens)
    const isNew = this.plan.options.resumeId === undefined
    this.outbox.put('started', { backendSessionId: threadId, ...(isNew ? { provisional: true } : {}) })
    for (const act of this.early) act()
    this.early = []
  }

  private translated(translate: (translator: Translator) => Effect[]): void {
    if (this.translator) this.apply(translate(this.translator))
    else this.early.push(() => this.translated(translate))
  }

  private startTurn(input: string): void {
    const { threadId, turn } = this.active
    const change = this.change
    this.change = {}
    turn.request()
    this.turnReply = new Promise((resolve) => {
      this.rpc.call('turn/start', { threadId, input: textInput(input), ...change }, (outcome) => {
        if (outcome.ok) turn.accept(asText(asRecord(asRecord(outcome.result).turn).id) ?? '')
        else if (outcome.error instanceof RpcError) {
          this.change = { ...change, ...this.change }
          const error = { code: 'BACKEND_ERROR', message: outcome.error.message }
          this.translated((translator) => translator.turnRefused(error))
        }
        resolve()
      })
    })
  }

  private async explain(ask: Ask, reason: string): Promise<void> {
    // Before the refusal: then it waits in the queue of the turn, and the model reads it right after the refusal.
    const text = `The person refused this call and says: ${reason}`
    const taken = ask.turnId !== undefined && (await this.steerTurn(ask.threadId, ask.turnId, text))
    if (!taken) this.apply([system('reason_undelivered', { callId: ask.request.callId })])
  }

  private async steerTurn(threadId: string, expectedTurnId: string, input: string): Promise<boolean> {
    try {
      await this.rpc.request('turn/steer', { threadId, expectedTurnId, input: textInput(input) })
      return true
    } catch (error) {
      if (error instanceof RpcError) return false
      throw error
    }
  }

  private async interruptTurn(threadId: string, turnId: string): Promise<void> {
    await this.rpc.request('turn/interrupt', { threadId, turnId }).catch((error) => {
      // It was over before the interrupt arrived.
      if (!(error instanceof RpcError)) throw toCodedError(error)
    })
  }

  private apply(effects: Effect[]): void {
    for (const effect of effects) this.applyOne(effect)
  }

  private applyOne(effect: Effect): void {
    switch (effect.type) {
      case 'output':
        this.outbox.put('output', effect.output)
        break
      case 'live':
        this.outbox.put('live', effect.delta)
        break
      case 'ask':
        this.outbox.put('ask', effect.request)
        break
      case 'withdrawn':
        this.outbox.put('withdrawn', effect.callId)
        break
      case 'turn_started':
        this.outbox.put('turnStarted', undefined)
        break
      case 'turn_completed':
        this.turnCompleted(effect.info)
        break
      case 'budget':
        this.outbox.put('budget', effect.warning)
        break
      case 'refuse':
        this.rpc.replyError(effect.id, -32_601, effect.message)
        break
      case 'terminate':
        this.terminate(effect.threadId, effect.processId)
        break
    }
  }

  private turnCompleted(info: TurnCompleteInfo): void {
    this.outbox.put('turnComplete', info)
    const next = this.queue.shift()
    if (next !== undefined) this.startTurn(next)
  }

  private terminate(threadId: string, processId: string): void {
    this.rpc.call('thread/backgroundTerminals/terminate', { threadId, processId }, () => {
      void removeStrayMounts(this.strays)
    })
  }

  private exited(exit: AppServerExit): void {
    this.rpc.close(new CodedError('BACKEND_CRASHED', `Codex ended (${exit.signal ?? exit.code}).`))
    if (this.ending) return
    this.ending = this.cleanUp()
    const info = { signal: exit.signal, stderrTail: exit.stderrTail }
    void this.ending.then(() => this.outbox.put('exit', { code: exit.code, info }))
  }

  private async stop(): Promise<void> {
    await this.server?.end(this.plan.timing.endGraceMs)
    await this.cleanUp()
  }

  private async cleanUp(): Promise<void> {
    await Promise.all([removeStrayMounts(this.strays), this.plan.cleanUp()]).catch(() => {})
  }
}

const textInput = (text: string) => [{ type: 'text', text, text_elements: [] }]

/** An older program without the method: the question is then left open. */
function ignoreUnknownMethod(error: unknown): unknown {
  if (error instanceof RpcError) return {}
  throw error
}
