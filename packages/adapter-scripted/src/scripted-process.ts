/**
 * One running player: speaks its frames, keeps the open turn, and reports in the contract's words.
 *
 *     starting -> (ready) idle <-> turn open -> exited
 */
import { randomUUID } from 'node:crypto'
import {
  type BackendImage,
  type BackendProcess,
  CodedError,
  type ErrorCode,
  type ExitInfo,
  errorTable,
  isLack,
  outOfResources,
  type PermissionDecision,
  tokenBudgetWarning,
} from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { Child, type ChildOptions } from './child'
import { EventPump } from './event-pump'
import type { Answer, Change, FromPlayer, Settings, ToPlayer } from './script/frames'
import { readFrame, toLive, toOutput, toRequest, toTurnEnd } from './script/translate'

const START_TIMEOUT_MS = 30_000

export interface StartRequest {
  settings: Settings
  resume: string | undefined
  fresh: string | undefined
}

const answers: Record<PermissionDecision['decision'], Answer> = {
  allow: 'allow',
  allow_session: 'allow',
  deny: 'deny',
  abort: 'abort',
}

export class ScriptedProcess implements BackendProcess {
  readonly id = randomUUID()
  readonly workDir: string
  readonly events = new EventPump()
  private readonly child: Child
  private readonly openAsks = new Set<string>()
  private readonly replies = new Map<string, { resolve(value: unknown): void; reject(error: Error): void }>()
  private settings: Settings
  private session = ''
  private warned = false
  private started: (error?: Error) => void = () => undefined
  private readonly startup: Promise<void>

  constructor(
    options: Pick<ChildOptions, 'program' | 'args' | 'cwd' | 'env' | 'graceMs'>,
    private readonly request: StartRequest,
  ) {
    this.workDir = options.cwd
    this.settings = request.settings
    this.startup = new Promise((resolve, reject) => {
      this.started = (error) => (error ? reject(error) : resolve())
    })
    this.child = new Child({
      ...options,
      onLine: (line) => this.line(line),
      onTooLong: (line) => this.tooLong(line),
      onExit: (code, info) => this.exited(code, info),
    })
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  /** Resolves when the conversation is there; otherwise the process is gone when it rejects. */
  async start(): Promise<void> {
    const { settings, resume, fresh } = this.request
    this.write({
      type: 'start',
      settings,
      ...(resume === undefined ? {} : { resume }),
      ...(fresh === undefined ? {} : { fresh }),
    })
    const timer = setTimeout(() => this.started(new CodedError('BACKEND_TIMEOUT')), START_TIMEOUT_MS)
    try {
      await this.startup
    } catch (error) {
      await this.child.kill()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  isAlive(): boolean {
    return this.child.isAlive()
  }

  kill(): Promise<void> {
    return this.child.kill()
  }

  pauseOutput(paused: boolean): void {
    this.child.setReading(!paused)
  }

  send(text: string, images: readonly BackendImage[] = []): void {
    if (this.isAlive()) this.write({ type: 'prompt', text, ...(images.length === 0 ? {} : { images }) })
    else this.events.emit('error', new CodedError('BACKEND_CRASHED', 'The player is not running.'))
  }

  stopTask(task: string): void {
    this.write({ type: 'stop_task', task })
  }

  interrupt(): void {
    this.write({ type: 'interrupt' })
  }

  answer({ callId, decision, reason, updatedInput, mode, unanswered }: PermissionDecision): void {
    if (!this.openAsks.delete(callId)) throw new CodedError('REQUEST_GONE', undefined, { callId })
    const allowed = !unanswered && answers[decision] === 'allow'
    if (allowed && mode !== undefined) void this.configure({ mode }).catch(() => {})
    this.write({
      type: 'answer',
      call: callId,
      answer: unanswered ? 'unanswered' : answers[decision],
      ...(reason === undefined ? {} : { reason }),
      ...(allowed && updatedInput !== undefined ? { input: updatedInput } : {}),
    })
  }

  /** A turn that runs takes no images. */
  steer(text: string, images: readonly BackendImage[] = []): Promise<boolean> {
    if (images.length > 0) return Promise.resolve(false)
    return this.ask((id) => ({ type: 'steer', id, text })).then((taken) => taken === true)
  }

  async configure(change: Change): Promise<void> {
    await this.ask((id) => ({ type: 'configure', id, change }))
    this.settings = { ...this.settings, ...change }
  }

  query(method: string): Promise<unknown> {
    return this.ask((id) => ({ type: 'query', id, method }))
  }

  private write(frame: ToPlayer): void {
    this.child.write(frame)
  }

  private ask(frame: (id: string) => ToPlayer): Promise<unknown> {
    if (!this.isAlive()) return Promise.reject(new CodedError('BACKEND_CRASHED', 'The player is not running.'))
    const id = randomUUID()
    return new Promise((resolve, reject) => {
      this.replies.set(id, { resolve, reject })
      this.write(frame(id))
    })
  }

  private line(line: string): void {
    const frame = readFrame(line)
    const output = frame ? toOutput(frame) : ({ kind: 'raw', backend: 'scripted', payload: line } as const)
    const live = frame && toLive(frame)
    if (output) this.events.emit('output', output)
    else if (live) this.events.emit('live', live)
    else if (frame) this.control(frame)
  }

  private tooLong({ bytes, head, tail }: LineEnds): void {
    this.events.emit('output', { kind: 'raw', backend: 'scripted', payload: { lineOf: bytes, head, tail } })
    this.events.emit('output', { kind: 'system', subtype: 'line_dropped', data: { bytes } })
  }

  private control(frame: FromPlayer): void {
    switch (frame.type) {
      case 'ready':
        this.events.emit('sessionStarted', {
          backendSessionId: frame.session,
          ...(this.session === '' ? {} : { resumed: frame.resumed }),
        })
        this.session = frame.session
        this.started()
        break
      case 'refused':
        this.started(new CodedError(knownCode(frame.code), frame.message))
        break
      case 'mode':
        this.settings = { ...this.settings, mode: frame.mode }
        this.events.emit('modeChanged', frame.mode)
        break
      case 'begin':
        this.events.emit('turnStarted')
        break
      case 'tasks':
        this.events.emit('background', frame.tasks)
        break
      case 'ask':
        this.openAsks.add(frame.call)
        this.events.emit('permissionRequest', toRequest(frame))
        break
      case 'withdraw':
        this.openAsks.delete(frame.call)
        this.events.emit('permissionWithdrawn', frame.call)
        break
      case 'tokens':
        this.measure(frame.used, frame.window)
        break
      case 'reply':
        this.replies.get(frame.id)?.resolve(frame.value)
        this.replies.delete(frame.id)
        break
      case 'end':
        this.events.emit('turnComplete', toTurnEnd(frame, this.session))
        break
      default:
        this.events.emit('output', { kind: 'raw', backend: 'scripted', payload: frame })
    }
  }

  private measure(used: number, window: number): void {
    const { maxOutputTokens } = this.settings
    const reading = tokenBudgetWarning({ used, window, maxOutputTokens, warned: this.warned })
    this.warned = reading.warned
    if (reading.warning) this.events.emit('tokenBudgetWarning', reading.warning)
  }

  private exited(code: number | null, info: ExitInfo): void {
    const error = new CodedError('BACKEND_CRASHED', undefined, { code, signal: info.signal })
    for (const { reject } of this.replies.values()) reject(error)
    this.replies.clear()
    this.openAsks.clear()
    this.started(isLack(this.child.failure) ? outOfResources(this.child.failure) : error)
    this.events.emit('exit', code, info)
  }
}

function knownCode(code: string): ErrorCode {
  return code in errorTable ? (code as ErrorCode) : 'BACKEND_ERROR'
}
