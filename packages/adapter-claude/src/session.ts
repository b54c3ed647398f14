/**
 * One running Claude Code: a child process, its translator and the relay of its reports. It starts with the `initialize` request, whose
 * answer means that the conversation exists; a program that ends before it could not start or resume.
 */
import { randomUUID } from 'node:crypto'
import { ChildProgram, type DrivenProcess, Relay } from '@roundhouse/adapter-kit'
import {
  type BackendConfiguration,
  type BackendImage,
  type BackendOutput,
  CodedError,
  type ExitInfo,
  isLack,
  outOfResources,
  type PermissionDecision,
  type PermissionRequest,
} from '@roundhouse/backend-types'
import { configure } from './configure'
import { Interrupts } from './interrupts'
import { type CommandRules, withOwnRules, withUpdates } from './program/own-rules'
import { providerIntroduction } from './program/provider-config'
import { Commands, settingOf } from './program/slash-commands'
import { query } from './queries'
import type { SessionOptions } from './session-options'
import { withSuggestions } from './translate/asks'
import { startFailure } from './translate/failures'
import { raw } from './translate/outputs'
import { temporaryFolders, withOutputBelow } from './translate/task-output'
import { Translator } from './translate/translate'
import type { Translated } from './translate/translated'
import { CallerHooks } from './wire/caller-hooks'
import { CommandHook } from './wire/command-hook'
import { compact, type Frame, numberAt, parseFrame, recordAt, recordsAt, textAt, userFrame } from './wire/frames'
import { Requests } from './wire/requests'
import { Steers } from './wire/steers'

export class ClaudeSession implements DrivenProcess {
  readonly id = randomUUID()
  readonly workDir: string
  readonly relay = new Relay()
  private readonly child: ChildProgram
  private readonly translator: Translator
  private readonly requests = new Requests((frame) => this.child.write(frame))
  private readonly interrupts: Interrupts
  private readonly steers = new Steers()
  /** What the CLI said about itself at the start: models, commands, agents, account. */
  private about: Frame | undefined
  private readonly temporary: readonly string[]
  private readonly commands = new Commands()
  private readonly hook = new CommandHook()
  private readonly callerHooks: CallerHooks
  private ownRules: CommandRules
  /** What the prompt of this turn changes in the program. */
  private setting: BackendConfiguration | null = null

  constructor(private readonly options: SessionOptions) {
    this.workDir = options.command.workDir
    this.ownRules = options.ownRules
    this.callerHooks = new CallerHooks(options.config?.hooks ?? {}, options.direct, (reply) => this.child.write(reply))
    this.temporary = temporaryFolders(options.command.env)
    this.translator = new Translator({
      backendSessionId: options.backendSessionId,
      workDir: this.workDir,
      blockPrefix: this.id.slice(0, 8),
      maxOutputTokens: options.maxOutputTokens,
      mode: options.mode,
      ...(options.storedTasks && { storedTasks: options.storedTasks }),
      costBaseline: options.resumed ? undefined : 0,
    })
    this.child = new ChildProgram(options.command, {
      line: (line) => {
        const frame = parseFrame(line)
        if (frame) this.take(frame)
        else this.tell(raw(line))
      },
      tooLong: ({ bytes, head, tail }) => {
        this.tell(raw({ lineOf: bytes, head, tail }))
        this.tell({ kind: 'system', subtype: 'line_dropped', data: { bytes } })
      },
      exit: (code, info) => this.ended(code, info),
    })
    this.interrupts = new Interrupts(this.child, this.requests, options.limits.interruptMs)
  }

  static async start(options: SessionOptions): Promise<ClaudeSession> {
    const session = launch(options)
    try {
      // `appendSystemPrompt` keeps the text out of the process list.
      const request = {
        subtype: 'initialize',
        ...providerIntroduction(options.config ?? {}),
        appendSystemPrompt: options.systemPrompt,
        hooks: session.callerHooks.registered,
      }
      await session.requests.ask(compact(request), options.limits.startMs, (about) => session.started(about))
    } catch (error) {
      await session.kill()
      throw error
    }
    if (options.resumed) session.askForBaseline()
    return session
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  isAlive(): boolean {
    return this.child.isAlive
  }

  kill(): Promise<void> {
    return this.child.end()
  }

  send(input: string, images?: readonly BackendImage[], messageId?: string): void {
    if (!this.isAlive()) throw new CodedError('BACKEND_CRASHED', 'Claude Code is not running any more.')
    if (this.translator.running) throw new CodedError('INTERNAL', 'A prompt was sent into a running turn.')
    const refused = this.refuse(input)
    if (refused) {
      // Whoever sent it has to know first that its turn began.
      const { code, message } = refused
      const info = { reason: 'failed', error: { code, message } } as const
      queueMicrotask(() => this.relay.report({ type: 'turn_completed', info }))
      return
    }
    this.setting = settingOf(input)
    const uuid = messageId ?? randomUUID()
    this.translator.sent(uuid)
    this.interrupts.whenAnswered(() => this.child.write(userFrame(this.commands.asSent(input), images, uuid)))
  }

  /** Resolves when the program begins with it, or has it no more. A command waits for the end of the turn. */
  async steer(input: string, images?: readonly BackendImage[], begins = () => {}): Promise<boolean> {
    if (!this.isAlive() || !this.translator.running || this.commands.has(input) || this.refuse(input)) return false
    const uuid = this.steers.areTold ? randomUUID() : undefined
    this.child.write(userFrame(this.commands.asSent(input), images, uuid))
    return this.steers.sent(uuid, begins)
  }

  /** Behind an interrupt the program would go on with what it was given meanwhile, by itself. */
  private takeBack(): void {
    for (const uuid of this.steers.untaken) {
      const request = { subtype: 'cancel_async_message', message_uuid: uuid }
      this.requests.ask(request, this.options.limits.requestMs).catch(() => {})
    }
  }

  private refuse(input: string): CodedError | null {
    return this.commands.refuse(input) ?? this.options.refuse?.(input) ?? null
  }

  pauseOutput(paused: boolean): void {
    if (this.isAlive()) this.child.pause(paused)
  }

  async decide(decision: PermissionDecision): Promise<void> {
    if (!this.isAlive()) throw new CodedError('REQUEST_GONE', undefined, { callId: decision.callId })
    const stops = this.translator.needsStop(decision)
    if (decision.decision === 'abort' && !decision.unanswered) this.takeBack()
    this.child.write(this.translator.decide(decision))
    if (decision.updatedPermissions) this.ownRules = withUpdates(this.ownRules, decision.updatedPermissions)
    if (stops) void this.interrupt()
  }

  /** Resolves when the turn is over. Where the CLI is ended for it, the turn ends as interrupted, and the exit is reported. */
  async interrupt(): Promise<void> {
    if (!this.translator.running || !this.isAlive()) return
    this.takeBack()
    this.translator.interrupting()
    await this.interrupts.endTurn()
  }

  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>> {
    return configure(this, change, this.options.sandbox)
  }

  async stopTask(taskId: string): Promise<void> {
    await this.request({ subtype: 'stop_task', task_id: taskId })
  }

  query(method: string, params: unknown): Promise<unknown> {
    return query(this, method, params)
  }

  /** A control request to the CLI. Its refusal is an error with its own sentence. */
  request(request: Frame): Promise<Frame> {
    if (!this.isAlive())
      return Promise.reject(new CodedError('BACKEND_CRASHED', 'Claude Code is not running any more.'))
    return this.requests.ask(request, this.options.limits.requestMs)
  }

  /** The CLI also reports a mode that we set. The translator learns of it first, so that the report does not count as a change by the CLI. */
  async setMode(mode: string): Promise<void> {
    const before = this.translator.told(mode)
    try {
      await this.request({ subtype: 'set_permission_mode', mode })
    } catch (error) {
      this.translator.told(before)
      throw error
    }
  }

  get introduction(): Frame {
    return this.about ?? {}
  }

  private take(frame: Frame): void {
    // Answers to our own requests are between the CLI and us.
    if (this.options.rawFrames && frame.type !== 'control_response') this.tell(raw(frame))
    if (frame.type === 'system' && frame.subtype === 'init') this.named(frame.slash_commands)
    this.steers.heard(frame, () => {
      for (const event of this.translator.begin()) this.handle(event)
    })
    if (this.callerHooks.takes(frame)) return
    const answer = this.hook.answer(frame)
    if (answer) this.child.write(answer)
    else for (const event of this.translator.accept(frame)) this.handle(event, frame)
  }

  private named(names: unknown): void {
    if (Array.isArray(names) && this.commands.named(names)) this.tellCommands()
  }

  private handle(event: Translated, frame?: Frame): void {
    const { relay } = this
    switch (event.type) {
      case 'output':
        // With every frame handed over already, an untranslated one would come twice.
        if (!(this.options.rawFrames && event.output.kind === 'raw')) this.tell(event.output)
        break
      case 'ask':
        relay.report({ ...event, request: this.asked(event.request, frame) })
        break
      case 'turn_completed':
        if (this.setting && (event.info.reason ?? 'completed') === 'completed') {
          relay.report({ type: 'settings', change: this.setting })
        }
        this.setting = null
        relay.report(event)
        this.interrupts.turnEnded()
        break
      case 'background':
        relay.report({ type: 'background', running: withOutputBelow(this.temporary, event.running) })
        break
      case 'servers_failed':
        void this.tellFailedServers(event.names)
        break
      case 'hopeless':
        void this.interrupts.endTurn()
        break
      case 'reply':
        this.child.write(event.frame)
        break
      case 'answer':
        this.requests.answered(event)
        break
      default:
        relay.report(event)
    }
  }

  private asked(request: PermissionRequest, frame: Frame | undefined): PermissionRequest {
    const asked = withOwnRules(request, this.translator.currentMode, this.ownRules)
    return frame && this.options.direct ? withSuggestions(asked, frame) : asked
  }

  /** Only `mcp_status` says why. */
  private async tellFailedServers(names: string[]): Promise<void> {
    const status: Frame = await this.request({ subtype: 'mcp_status' }).catch(() => ({}))
    const servers = recordsAt(status, 'mcpServers')
    for (const name of names) {
      const server = servers.find((one) => textAt(one, 'name') === name)
      const data = compact({ name, message: textAt(server, 'error') })
      this.tell({ kind: 'system', subtype: 'mcp_server_failed', data })
    }
  }

  private tell(output: BackendOutput): void {
    this.relay.report({ type: 'output', output })
    if (this.hook.sees(output)) return
    const data = { message: 'Claude Code ran a command without asking. It was ended.' }
    this.relay.report({ type: 'output', output: { kind: 'system', subtype: 'unasked_command', data } })
    this.child.signal('SIGKILL')
  }

  /** Called within the reading, so that no output can come before it. */
  private started(about: Frame): void {
    this.about = about
    const { backendSessionId, resumed } = this.options
    const info = { backendSessionId, ...(resumed ? {} : { provisional: true }) }
    this.relay.report({ type: 'session', info })
    this.commands.told(about)
    this.tellCommands()
    if (this.options.leftOut) this.tell(this.options.leftOut)
  }

  private tellCommands(): void {
    this.relay.report({ type: 'commands', commands: this.commands.offered })
  }

  /** Without an answer, the first cost is what the result itself tells, or unknown, and the first time is unknown. */
  private askForBaseline(): void {
    const known = (usage: Frame) => {
      const session = recordAt(usage, 'session')
      const [dollars, millis] = [numberAt(session, 'total_cost_usd'), numberAt(session, 'total_api_duration_ms')]
      if (dollars !== undefined) this.translator.cost.setBaseline(dollars)
      if (millis !== undefined) this.translator.apiTime.setBaseline(millis)
    }
    this.requests.ask({ subtype: 'get_usage' }, this.options.limits.requestMs, known).catch(() => {})
  }

  private ended(code: number | null, info: ExitInfo): void {
    const lack = isLack(this.child.failure) ? outOfResources(this.child.failure) : undefined
    const failure = lack ?? startFailure(info.stderrTail, info.signal ?? `code ${code}`)
    this.requests.rejectAll(
      this.about
        ? new CodedError('BACKEND_CRASHED', 'Claude Code ended before it answered.')
        : new CodedError(failure.code, failure.message),
    )
    this.steers.rejectAll(new CodedError('BACKEND_CRASHED', 'Claude Code ended before it took the prompt.'))
    for (const event of this.translator.abandon()) this.handle(event)
    if (!this.child.isEnding) this.relay.report({ type: 'exit', code, info })
  }
}

/** Arguments that no process can be given (a null byte, too many) are thrown at once, not reported. */
function launch(options: SessionOptions): ClaudeSession {
  try {
    return new ClaudeSession(options)
  } catch (error) {
    if (isLack(error)) throw outOfResources(error)
    throw new CodedError('INVALID_ARGUMENT', 'Claude Code cannot be started with these options.', undefined, error)
  }
}
