/**
 * One running player: speaks its frames, keeps the open turn, and reports in the contract's words.
 *
 *     starting -> (ready) idle <-> turn open -> exited
 */
import { randomUUID } from 'node:crypto'
import { type ChildCommand, ChildProgram, type DrivenProcess, Relay } from '@roundhouse/adapter-kit'
import {
  type BackendConfiguration,
  type BackendImage,
  type BackendOutput,
  CodedError,
  type ErrorCode,
  type ExitInfo,
  errorTable,
  isLack,
  outOfResources,
  type PermissionDecision,
  tokenBudgetWarning,
} from '@roundhouse/backend-types'
import { queryScripted } from './queries'
import type { Change, FromPlayer, PlayedDecision, Settings, ToPlayer } from './script/frames'
import { readFrame, toLive, toOutput, toRequest, toTurnEnd } from './script/translate'
import { changeOf } from './settings'
import { commands } from './slash-commands'

const START_TIMEOUT_MS = 30_000

export interface StartRequest {
  settings: Settings
  resume: string | undefined
  fresh: string | undefined
}

const played: Record<PermissionDecision['decision'], PlayedDecision> = {
  allow: 'allow',
  allow_session: 'allow',
  deny: 'deny',
  abort: 'abort',
}

export class ScriptedProcess implements DrivenProcess {
  readonly id = randomUUID()
  readonly workDir: string
  readonly relay = new Relay()
  private readonly child: ChildProgram
  private readonly openAsks = new Set<string>()
  private readonly replies = new Map<string, { resolve(value: unknown): void; reject(error: Error): void }>()
  private settings: Settings
  private session = ''
  private warned = false
  private started: (error?: Error) => void = () => undefined
  private readonly startup: Promise<void>

  constructor(
    command: ChildCommand,
    private readonly request: StartRequest,
  ) {
    this.workDir = command.workDir
    this.settings = request.settings
    this.startup = new Promise((resolve, reject) => {
      this.started = (error) => (error ? reject(error) : resolve())
    })
    this.child = new ChildProgram(command, {
      line: (line) => this.line(line),
      tooLong: ({ bytes, head, tail }) => {
        this.relay.report({ type: 'output', output: raw({ lineOf: bytes, head, tail }) })
        this.relay.report({ type: 'output', output: { kind: 'system', subtype: 'line_dropped', data: { bytes } } })
      },
      exit: (code, info) => this.exited(code, info),
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
      await this.child.end()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  isAlive(): boolean {
    return this.child.isAlive
  }

  kill(): Promise<void> {
    return this.child.end()
  }

  pauseOutput(paused: boolean): void {
    this.child.pause(paused)
  }

  send(text: string, images: readonly BackendImage[] = []): void {
    if (this.isAlive()) this.write({ type: 'prompt', text, ...(images.length === 0 ? {} : { images }) })
    else this.relay.report({ type: 'error', error: new CodedError('BACKEND_CRASHED', 'The player is not running.') })
  }

  async stopTask(task: string): Promise<void> {
    this.write({ type: 'stop_task', task })
  }

  async interrupt(): Promise<void> {
    this.write({ type: 'interrupt' })
  }

  async decide({ callId, decision, reason, updatedInput, mode, unanswered }: PermissionDecision): Promise<void> {
    if (!this.openAsks.delete(callId)) throw new CodedError('REQUEST_GONE', undefined, { callId })
    const allowed = !unanswered && played[decision] === 'allow'
    if (allowed && mode !== undefined) void this.change({ mode }).catch(() => {})
    this.write({
      type: 'answer',
      call: callId,
      answer: unanswered ? 'unanswered' : played[decision],
      ...(reason === undefined ? {} : { reason }),
      ...(allowed && updatedInput !== undefined ? { input: updatedInput } : {}),
    })
  }

  /** A turn that runs takes no images. */
  async steer(text: string, images: readonly BackendImage[] = [], begins = () => {}): Promise<boolean> {
    if (images.length > 0) return false
    const isTaken = (answer: unknown) => answer === true
    const heard = (answer: unknown) => {
      if (isTaken(answer)) begins()
    }
    return isTaken(await this.ask((id) => ({ type: 'steer', id, text }), heard))
  }

  async configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>> {
    await this.change(changeOf(change))
    return []
  }

  async change(change: Change): Promise<void> {
    await this.ask((id) => ({ type: 'configure', id, change }))
    this.settings = { ...this.settings, ...change }
  }

  query(method: string, params: unknown): Promise<unknown> {
    return queryScripted(this, method, params)
  }

  askPlayer(method: string): Promise<unknown> {
    return this.ask((id) => ({ type: 'query', id, method }))
  }

  private write(frame: ToPlayer): void {
    this.child.write(frame)
  }

  /** `heard`: called in the order of the output. */
  private ask(frame: (id: string) => ToPlayer, heard: (answer: unknown) => void = () => {}): Promise<unknown> {
    if (!this.isAlive()) return Promise.reject(new CodedError('BACKEND_CRASHED', 'The player is not running.'))
    const id = randomUUID()
    return new Promise((resolve, reject) => {
      const settle = (answer: unknown) => {
        heard(answer)
        resolve(answer)
      }
      this.replies.set(id, { resolve: settle, reject })
      this.write(frame(id))
    })
  }

  private line(line: string): void {
    const frame = readFrame(line)
    const output = frame ? toOutput(frame) : raw(line)
    const delta = frame && toLive(frame)
    if (output) this.relay.report({ type: 'output', output })
    else if (delta) this.relay.report({ type: 'live', delta })
    else if (frame) this.control(frame)
  }

  private control(frame: FromPlayer): void {
    const { relay } = this
    switch (frame.type) {
      case 'ready':
        this.ready(frame)
        break
      case 'refused':
        this.started(new CodedError(knownCode(frame.code), frame.message))
        break
      case 'mode':
        this.settings = { ...this.settings, mode: frame.mode }
        relay.report({ type: 'mode', mode: frame.mode })
        break
      case 'begin':
        relay.report({ type: 'turn_started' })
        break
      case 'tasks':
        relay.report({ type: 'background', running: frame.tasks })
        break
      case 'ask':
        this.openAsks.add(frame.call)
        relay.report({ type: 'ask', request: toRequest(frame) })
        break
      case 'withdraw':
        this.openAsks.delete(frame.call)
        relay.report({ type: 'withdrawn', callId: frame.call })
        break
      case 'tokens':
        this.measure(frame.used, frame.window)
        break
      case 'reply':
        this.replies.get(frame.id)?.resolve(frame.value)
        this.replies.delete(frame.id)
        break
      case 'end':
        relay.report({ type: 'turn_completed', info: toTurnEnd(frame, this.session) })
        break
      default:
        relay.report({ type: 'output', output: raw(frame) })
    }
  }

  private ready({ session, resumed }: Extract<FromPlayer, { type: 'ready' }>): void {
    const isFirst = this.session === ''
    this.session = session
    this.relay.report({ type: 'session', info: { backendSessionId: session, ...(isFirst ? {} : { resumed }) } })
    if (isFirst) this.relay.report({ type: 'commands', commands })
    this.started()
  }

  private measure(used: number, window: number): void {
    const { maxOutputTokens } = this.settings
    const reading = tokenBudgetWarning({ used, window, maxOutputTokens, warned: this.warned })
    this.warned = reading.warned
    if (reading.warning) this.relay.report({ type: 'budget', warning: reading.warning })
  }

  private exited(code: number | null, info: ExitInfo): void {
    const error = new CodedError('BACKEND_CRASHED', undefined, { code, signal: info.signal })
    for (const { reject } of this.replies.values()) reject(error)
    this.replies.clear()
    this.openAsks.clear()
    this.started(isLack(this.child.failure) ? outOfResources(this.child.failure) : error)
    if (!this.child.isEnding) this.relay.report({ type: 'exit', code, info })
  }
}

const raw = (payload: unknown): BackendOutput => ({ kind: 'raw', backend: 'scripted', payload })

function knownCode(code: string): ErrorCode {
  return Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'BACKEND_ERROR'
}
