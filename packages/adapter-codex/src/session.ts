/**
 * The process of one session, from its start to its end, and the conversation on it. `start` either gives a session that
 * is ready for its first prompt or leaves nothing behind.
 *
 *   launch -> initialize -> account/read -> thread/start | thread/resume -> conversation -> end | exit
 */
import { rm } from 'node:fs/promises'
import {
  type ChildExit,
  type ChildProgram,
  createRpc,
  type DrivenProcess,
  Relay,
  type Rpc,
} from '@roundhouse/adapter-kit'
import { asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  type BackendConfiguration,
  type BackendImage,
  CodedError,
  isLack,
  type LeftOut,
  leftOutOutput,
  outOfResources,
  type PermissionDecision,
  type SpawnOptions,
  toCodedError,
} from '@roundhouse/backend-types'
import { Conversation } from './conversation'
import { hasProfile, knowsProfiles, withProfiles } from './denied-files'
import { endedAtOnce, plain, startAppServer } from './program/app-server'
import type { Launch } from './program/launch'
import { endLeftovers } from './program/leftovers'
import { removeStrayMounts, watchStrayMounts } from './program/stray-mounts'
import { query } from './queries'
import { type CodexCommand, commandOf, commands, statusText } from './slash-commands'
import { type Effect, raw, system } from './translate/effects'
import type { Translator } from './translate/translate'
import { threadErrorOf } from './translate/turn-errors'
import { dialect, introduce, requireLogin } from './wire/introduce'

export interface SessionPlan {
  id: string
  command: string
  launch: Launch
  options: SpawnOptions
  workDir: string
  timing: Timing
  /** Belongs to this process alone, and goes with it. */
  tmpDir: string
  /** Real paths that the policy denies, where there is something. */
  denied: string[]
  mayLeave?: AdapterContext['mayLeave']
  markedBy?: AdapterContext['markedBy']
  /** What the repository configures and the policy leaves out. */
  leftOut?: readonly LeftOut[]
}

export interface Timing {
  /** For each answer that a start needs. */
  startTimeoutMs: number
  /** Between the request to end and the kill. */
  endGraceMs: number
}

export const defaultTiming: Timing = { startTimeoutMs: 60_000, endGraceMs: 5_000 }

export class CodexSession implements DrivenProcess {
  readonly id: string
  readonly workDir: string
  readonly relay = new Relay()
  readonly rpc: Rpc
  private child: ChildProgram | undefined
  private conversation: Conversation | undefined
  /** As the thread began, and what was changed since. */
  private model: string | undefined
  private changed: BackendConfiguration = {}
  /** What was said before the thread was there. */
  private early: Array<(translator: Translator) => Effect[]> = []
  private ending: Promise<void> | undefined
  /** Folders that a killed command may leave in the workspace. */
  private strays: string[] = []
  /** This Codex keeps its commands away from what is denied. */
  private profiles = false

  private constructor(private readonly plan: SessionPlan) {
    this.id = plan.id
    this.workDir = plan.workDir
    this.rpc = createRpc(dialect, (frame) => this.child?.write(frame), {
      notification: (method, params) => this.heard((t) => t.notification(method, asRecord(params))),
      request: (id, method, params) => this.heard((t) => t.request(id, method, asRecord(params))),
      stray: (payload) => this.heard(() => [raw(payload)]),
    })
  }

  static async start(plan: SessionPlan): Promise<CodexSession> {
    const session = new CodexSession(plan)
    try {
      await session.launch()
      await session.handshake()
      await session.openThread(plan.options.resumeId, (result) => session.threadOpened(result))
      return session
    } catch (error) {
      await session.kill()
      throw error
    }
  }

  get pid(): number | undefined {
    return this.child?.pid
  }

  /** The open conversation. A process that is gone, or going, has none. */
  get live(): Conversation | undefined {
    return this.isAlive() ? this.conversation : undefined
  }

  isAlive(): boolean {
    return this.ending === undefined && this.child?.isAlive === true
  }

  pauseOutput(paused: boolean): void {
    this.child?.pause(paused)
  }

  kill(): Promise<void> {
    this.ending ??= this.stop()
    return this.ending
  }

  send(input: string, images?: readonly BackendImage[]): void {
    const conversation = this.requireLive()
    if (!this.runs(input)) conversation.send(input, images)
  }

  async steer(input: string, images?: readonly BackendImage[], begins?: () => void): Promise<boolean> {
    return commandOf(input) === null && ((await this.live?.steer(input, images, begins)) ?? false)
  }

  async interrupt(): Promise<void> {
    await this.live?.interrupt()
  }

  async decide(decision: PermissionDecision): Promise<void> {
    if (!this.live) throw new CodedError('REQUEST_GONE')
    await this.live.decide(decision)
  }

  async stopTask(taskId: string): Promise<void> {
    await this.requireLive().stopTask(taskId)
  }

  async configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>> {
    this.requireLive()
    this.change(change)
    return []
  }

  async query(method: string, params: unknown): Promise<unknown> {
    this.requireLive()
    return query(this, method, params)
  }

  private requireLive(): Conversation {
    if (this.live) return this.live
    throw new CodedError('BACKEND_CRASHED', 'That process is gone.')
  }

  private heard(translate: (translator: Translator) => Effect[]): void {
    if (this.conversation) this.conversation.translated(translate)
    else this.early.push(translate)
  }

  private async launch(): Promise<void> {
    const { command, launch, options, workDir } = this.plan
    this.strays = await watchStrayMounts([workDir, ...(options.additionalDirs ?? [])])
    this.plan.mayLeave?.(this.strays)
    const { args, env } = launch
    this.child = await startAppServer(
      { file: command, args, env, workDir, graceMs: this.plan.timing.endGraceMs },
      {
        line: (line) => this.rpc.receive(line),
        tooLong: ({ bytes, head, tail }) =>
          this.heard(() => [raw({ lineOf: bytes, head, tail }), system('line_dropped', { bytes })]),
        exit: (code, info) => this.exited({ code, info }),
      },
    ).catch((cause) => {
      if (isLack(cause)) throw outOfResources(cause)
      throw new CodedError('BACKEND_UNAVAILABLE', `Codex could not be started: ${String(cause)}`, undefined, cause)
    })
  }

  private async handshake(): Promise<void> {
    const initialized = await this.beforeItDies(introduce(this.rpc))
    this.profiles = this.plan.denied.length > 0 && knowsProfiles(asText(initialized.userAgent))
    await this.beforeItDies(requireLogin(this.rpc))
  }

  private async openThread(resumeId: string | undefined, opens: (result: Json) => void): Promise<void> {
    const { options, launch } = this.plan
    const method = resumeId === undefined ? 'thread/start' : 'thread/resume'
    const thread = this.profiles ? await this.threadWithProfiles() : launch.thread
    const params = resumeId === undefined ? thread : { ...thread, threadId: resumeId, excludeTurns: true }
    const opened = new Promise<void>((resolve, reject) => {
      this.rpc.call(method, params, (outcome) => {
        if (!outcome.ok) return reject(threadErrorOf(outcome.error, resumeId !== undefined))
        const result = asRecord(outcome.result)
        if (this.profiles && !hasProfile(result, options.sandbox)) {
          return reject(new CodedError('UNSUPPORTED', 'Codex did not take over which files are denied here.'))
        }
        // In the tick of the reply, so that no frame of the thread is read before its conversation is there.
        opens(result)
        resolve()
      })
    })
    await this.beforeItDies(opened)
  }

  private async threadWithProfiles(): Promise<Json> {
    const { launch, options, workDir, denied } = this.plan
    const asked = this.rpc.request('config/read', { includeLayers: false, cwd: workDir })
    const owner = asRecord(await this.beforeItDies(asked))
    const { additionalDirs = [], sandbox } = options
    return withProfiles(launch.thread, sandbox, { paths: denied, additionalDirs, owner })
  }

  private converse(threadId: string, result: Json): Conversation {
    this.model = asText(result.model)
    return new Conversation({
      threadId,
      options: this.plan.options,
      networkAccess: asRecord(result.sandbox).networkAccess === true,
      profiles: this.profiles,
      rpc: this.rpc,
      relay: this.relay,
      commandEnded: (callId) => void this.removeTraces(callId),
    })
  }

  /** A person's command, in the place of a prompt. False: it is none. */
  private runs(text: string): boolean {
    const command = commandOf(text)
    const { live } = this
    if (!command || !live) return false
    if (command.name === 'compact') live.compact()
    else if (command.name === 'new') live.whenIdle(() => void this.startOver(live))
    else live.whenIdle(() => queueMicrotask(() => this.answer(command)))
    return true
  }

  private change(change: BackendConfiguration): void {
    this.live?.configure(change)
    this.changed = { ...this.changed, ...change }
  }

  private answer(command: CodexCommand): void {
    if (command.name === 'model') {
      const change = { model: command.model }
      this.change(change)
      this.relay.report({ type: 'settings', change })
    }
    const { options } = this.plan
    const { model, mode, sandbox, thinking } = { ...options, ...this.changed }
    const context = this.conversation?.contextUsage
    const text = statusText({ model: model ?? this.model, mode, sandbox, thinking, context })
    this.relay.report({ type: 'output', output: { kind: 'assistant_text', text } })
    this.relay.report({ type: 'turn_completed', info: { reason: 'completed' } })
  }

  /** The new thread is not on the disk before its first turn: so it begins behind the turn of the command. */
  private async startOver(before: Conversation): Promise<void> {
    try {
      await this.openThread(undefined, (result) => {
        const threadId = asText(asRecord(result.thread).id) ?? ''
        const conversation = this.converse(threadId, result)
        conversation.configure(this.changed)
        this.conversation = conversation
        this.relay.report({ type: 'turn_completed', info: { reason: 'completed' } })
        const info = { backendSessionId: threadId, provisional: true, resumed: false }
        this.relay.report({ type: 'session', info })
        this.relay.report(system('conversation_cleared', {}))
      })
      await this.rpc.request('thread/unsubscribe', { threadId: before.threadId }).catch(() => {})
    } catch (error) {
      if (!this.isAlive()) return
      const { code, message } = toCodedError(error)
      this.relay.report({ type: 'turn_completed', info: { reason: 'failed', error: { code, message } } })
    }
  }

  private threadOpened(result: Json): void {
    const { options } = this.plan
    const threadId = asText(asRecord(result.thread).id) ?? ''
    const isNew = options.resumeId === undefined
    const info = { backendSessionId: threadId, ...(isNew ? { provisional: true } : {}) }
    this.relay.report({ type: 'session', info })
    this.relay.report({ type: 'commands', commands })
    this.conversation = this.converse(threadId, result)
    const leftOut = isNew ? leftOutOutput(this.plan.leftOut ?? []) : null
    if (leftOut) this.relay.report({ type: 'output', output: leftOut })
    for (const translate of this.early.splice(0)) this.conversation.translated(translate)
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
      if (!this.child?.hasExited) throw error
      throw new CodedError('BACKEND_UNAVAILABLE', endedAtOnce(await this.child.gone))
    } finally {
      clearTimeout(timer)
    }
  }

  private exited({ code, info }: ChildExit): void {
    this.rpc.close(new CodedError('BACKEND_CRASHED', `Codex ended (${info.signal ?? code}).`))
    if (this.ending) return
    this.ending = this.cleanUp()
    const told = { ...info, stderrTail: plain(info.stderrTail) }
    void this.ending.then(() => this.relay.report({ type: 'exit', code, info: told }))
  }

  private async stop(): Promise<void> {
    await this.child?.end()
    await this.cleanUp()
  }

  /** Of one call, or of everything that the program started. */
  private async removeTraces(callId?: string): Promise<void> {
    await endLeftovers(this.plan.markedBy, this.plan.tmpDir, callId)
    await removeStrayMounts(this.strays)
  }

  private async cleanUp(): Promise<void> {
    await this.removeTraces().catch(() => {})
    await rm(this.plan.tmpDir, { recursive: true, force: true }).catch(() => {})
  }
}
