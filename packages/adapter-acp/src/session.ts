/**
 * The process of one session, from its start to its end, and the conversation on it. `start` either gives a session that is
 * ready for its first prompt or leaves nothing behind.
 *
 *     (companion ->) launch -> initialize -> session/new | resume | load -> mode, model -> conversation -> end | exit
 */
import { rm } from 'node:fs/promises'
import {
  type ChildExit,
  type ChildProgram,
  type DrivenProcess,
  endMarked,
  Relay,
  RpcError,
} from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import {
  type BackendConfiguration,
  type BackendImage,
  CodedError,
  leftOutOutput,
  type PermissionDecision,
} from '@roundhouse/backend-types'
import { Conversation } from './conversation'
import type { Saying } from './profiles/profile'
import { rememberConversation, removeState, startCompanion } from './program/companion'
import { removeEmptyTwins } from './program/files'
import { rememberModels } from './program/known-models'
import { PROGRAM_MARK } from './program/launch'
import { resumeMethod } from './program/resume-method'
import { changedBy } from './program/slash-commands'
import { beforeItDies, introduce, plain, spawnProgram } from './program/spawned'
import { modelsOf, query } from './queries'
import type { SessionPlan } from './session-plan'
import { output } from './translate/effects'
import { Translator } from './translate/translate'
import { errorCodeOf, sentenceOf } from './translate/turn'
import type { Connection } from './wire/connection'

/** What `session/load` tells again. It was told when it happened. */
const history = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

export class AcpSession implements DrivenProcess {
  readonly id: string
  readonly workDir: string
  readonly relay = new Relay()
  private child: ChildProgram | undefined
  private link: Connection | undefined
  private endCompanion: (() => Promise<void>) | undefined
  private isKept = false
  /** Why the companion is gone, if it ended by itself. */
  private companionSaid: string | undefined
  private conversation: Conversation | undefined
  /** What was said before the conversation was there. */
  private early: Array<(translator: Translator) => ReturnType<Translator['stray']>> = []
  private told: Promise<void> | undefined
  /** Ends what a program tells again behind the reply. */
  private allTold: (() => void) | undefined
  private ending: Promise<void> | undefined
  private models: Json[] = []

  private constructor(private readonly plan: SessionPlan) {
    this.id = plan.id
    this.workDir = plan.workDir
  }

  static async start(plan: SessionPlan): Promise<AcpSession> {
    const session = new AcpSession(plan)
    try {
      await session.launch()
      return session
    } catch (error) {
      await session.kill()
      throw error
    }
  }

  get pid(): number | undefined {
    return this.child?.pid
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
    this.requireLive().send(input, images)
  }

  async interrupt(): Promise<void> {
    if (this.isAlive()) await this.conversation?.interrupt()
  }

  async decide(decision: PermissionDecision): Promise<void> {
    if (!this.isAlive() || !this.conversation) throw new CodedError('REQUEST_GONE')
    await this.conversation.decide(decision)
  }

  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>> {
    return this.requireLive().configure(change)
  }

  async query(method: string, params: unknown): Promise<unknown> {
    const { commands } = this.requireLive()
    return query({ models: this.models, commands, configure: (change) => this.configure(change) }, method, params)
  }

  private requireLive(): Conversation {
    if (this.isAlive() && this.conversation) return this.conversation
    throw new CodedError('BACKEND_CRASHED', 'That process is gone.')
  }

  private async launch(): Promise<void> {
    const { program, file, launch, workDir, timing } = this.plan
    const { label } = program
    await this.launchCompanion()
    const command = { file, ...launch, workDir, graceMs: timing.endGraceMs }
    const { child, connection } = await spawnProgram(label, command, {
      update: (params) => this.updated(params),
      ask: (id, params) => this.heard((t) => t.ask(id, params)),
      stray: (payload) => this.heard((t) => t.stray(payload)),
      tooLong: (line) => this.heard((t) => t.tooLong(line)),
      exit: (exit) => this.exited(exit),
    })
    this.child = child
    this.link = connection
    const inTime = <T>(work: Promise<T>) => beforeItDies(label, child, timing.startTimeoutMs, work)
    const said = asRecord((await inTime(introduce(label, connection))).agentCapabilities)
    const opened = await inTime(this.open(said))
    await this.keepConversation()
    await this.told
    await inTime(this.settle(opened))
  }

  private async keepConversation(): Promise<void> {
    const { companion, options } = this.plan
    if (companion === undefined || options.resumeId !== undefined) return
    await rememberConversation(companion, this.requireLive().sessionId)
    this.isKept = true
  }

  private async launchCompanion(): Promise<void> {
    const { program, file, launch, workDir, timing, companion: plan } = this.plan
    if (plan === undefined) return
    this.endCompanion = await startCompanion({
      label: program.label,
      plan,
      file,
      env: launch.env,
      workDir,
      graceMs: timing.endGraceMs,
      timeoutMs: timing.startTimeoutMs,
      exited: (said) => {
        this.companionSaid = said
        // Nobody is there to talk to.
        this.child?.signal('SIGKILL')
      },
    })
  }

  private updated(params: Json): void {
    const kind = asText(asRecord(params.update).sessionUpdate) ?? ''
    const isOpen = this.conversation !== undefined && this.allTold === undefined
    const tellsAgain = !isOpen && this.plan.options.resumeId !== undefined && history.has(kind)
    if (!tellsAgain) this.heard((t) => t.update(params))
    if (this.conversation && kind === this.plan.program.profile.history.toldUntil) this.allTold?.()
  }

  private heard(translate: (translator: Translator) => ReturnType<Translator['stray']>): void {
    if (this.conversation) this.conversation.translated(translate)
    else this.early.push(translate)
  }

  /** In the tick of the reply, so that no frame of the conversation is read before it is there. */
  private open(capabilities: Json): Promise<Json> {
    const { options, workDir: cwd, mcpServers, program } = this.plan
    const { resumeId: sessionId } = options
    const more = sessionId === undefined ? {} : { sessionId, ...program.profile.history.resumeWith?.(sessionId) }
    const params = { cwd, mcpServers, ...more }
    const method = sessionId === undefined ? 'session/new' : resumeMethod(capabilities)
    if (method === undefined) {
      throw new CodedError('RESUME_UNAVAILABLE', `${program.label} cannot continue a conversation.`)
    }
    return new Promise((resolve, reject) => {
      this.requireLink().call(method, params, (outcome) => {
        if (!outcome.ok) return reject(this.refusalOf(outcome.error))
        const result = asRecord(outcome.result)
        const id = sessionId ?? asText(result.sessionId)
        if (id === undefined) return reject(new CodedError('BACKEND_ERROR', `${program.label} named no conversation.`))
        this.converse(id, capabilities)
        if (method === 'session/load') this.awaitTold()
        void removeEmptyTwins(program.profile.history.emptyTwins, this.plan.launch.env.HOME).then(() => resolve(result))
      })
    })
  }

  /** A program that never says where it ends is not waited for any longer than this. */
  private awaitTold(): void {
    if (this.plan.program.profile.history.toldUntil === undefined) return
    this.told = new Promise((resolve) => {
      const timer = setTimeout(() => this.allTold?.(), this.plan.timing.toldAgainMs)
      this.allTold = () => {
        clearTimeout(timer)
        this.allTold = undefined
        resolve()
      }
    })
  }

  private converse(sessionId: string, capabilities: Json): void {
    const { program, options, workDir, leftOut, id } = this.plan
    const { profile } = program
    const isNew = options.resumeId === undefined
    const info = {
      backendSessionId: sessionId,
      ...(isNew && profile.history.isProvisional ? { provisional: true } : {}),
    }
    this.relay.report({ type: 'session', info })
    const said = isNew ? leftOutOutput(leftOut) : null
    if (said) this.relay.report(output(said))
    const translator = new Translator({
      backend: program.kind,
      sessionId,
      blockPrefix: id,
      isNew,
      workDir,
      nameCall: profile.nameCall,
      harmlessCall: (call) => profile.harmlessCall?.(call, workDir) ?? null,
      failsSilently: profile.failsSilently,
      isRefused: (command) => profile.guard.hidesCommands === true || changedBy(profile, command) !== undefined,
      maxOutputTokens: options.maxOutputTokens,
    })
    const conversation = new Conversation({
      sessionId,
      profile,
      connection: this.requireLink(),
      relay: this.relay,
      translator,
      preface: isNew && profile.says.systemPrompt === 'first_prompt' ? options.systemPrompt : undefined,
      acceptsImages: asRecord(capabilities.promptCapabilities).image === true,
    })
    this.conversation = conversation
    for (const translate of this.early.splice(0)) conversation.translated(translate)
  }

  /** The mode of the guard, and what a person chose. */
  private async settle(opened: Json): Promise<void> {
    const { program, options } = this.plan
    const { says, modes } = program.profile
    const { model, mode } = says
    this.models = modelsOf(opened, model)
    void this.remember(model && currentOf(opened, model, 'model'))
    const wantedMode = options.mode ?? modes.find((one) => one.default)?.code
    if (mode) await this.sayOnce(mode, 'mode', wantedMode, currentOf(opened, mode, 'mode'))
    if (model) await this.sayOnce(model, 'model', options.model, currentOf(opened, model, 'model'))
  }

  /** Nothing waits for it. */
  private async remember(current: string | undefined): Promise<void> {
    const { models: place, options } = this.plan
    const isOwnChoice = options.model === undefined && options.resumeId === undefined
    if (place) await rememberModels(place, this.models, isOwnChoice ? current : undefined)
  }

  private async sayOnce(saying: Saying, field: string, wanted: string | undefined, current: string | undefined) {
    if (wanted !== undefined && wanted !== current) await this.requireLive().say(saying, field, wanted)
  }

  private requireLink(): Connection {
    if (this.link) return this.link
    throw new CodedError('INTERNAL', 'The program was not started.')
  }

  private refusalOf(error: Error): CodedError {
    if (error instanceof CodedError) return error
    const message = sentenceOf(error)
    const { label } = this.plan.program
    if (errorCodeOf(error) === 'BACKEND_AUTH')
      return new CodedError('BACKEND_AUTH', `${label}: ${message}`, undefined, error)
    const resuming = this.plan.options.resumeId !== undefined
    if (resuming && error instanceof RpcError)
      return new CodedError('RESUME_UNAVAILABLE', undefined, { message }, error)
    return new CodedError('BACKEND_ERROR', message, undefined, error)
  }

  private exited({ code, info }: ChildExit): void {
    if (this.ending) return
    this.ending = this.cleanUp()
    const told = { ...info, stderrTail: this.companionSaid ?? plain(info.stderrTail) }
    void this.ending.then(() => this.relay.report({ type: 'exit', code, info: told }))
  }

  private async stop(): Promise<void> {
    await this.child?.end()
    await this.cleanUp()
  }

  private async cleanUp(): Promise<void> {
    await this.endCompanion?.()
    await endMarked(this.plan.markedBy, { [PROGRAM_MARK]: this.plan.tmpDir })
    await rm(this.plan.tmpDir, { recursive: true, force: true }).catch(() => {})
    const { companion, options } = this.plan
    if (companion && options.resumeId === undefined && !this.isKept) await removeState(companion)
  }
}

/** What the conversation has now, as the reply that opened it says. */
function currentOf(opened: Json, saying: Saying, field: 'mode' | 'model'): string | undefined {
  if (saying.by === 'config_option') {
    const options = asList(opened.configOptions).map(asRecord)
    return asText(options.find(({ id }) => id === saying.id)?.currentValue)
  }
  return asText(field === 'mode' ? asRecord(opened.modes).currentModeId : asRecord(opened.models).currentModelId)
}
