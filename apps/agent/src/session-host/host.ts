/**
 * One session, put together: its log, its turns, its backend, its permission requests and the socket to the daemon. Every
 * part keeps to its own file; here they only meet.
 */
import { randomUUID } from 'node:crypto'
import {
  type AdapterContext,
  type BackendAdapter,
  CodedError,
  type Command,
  type CommandAnswer,
  type ExitInfo,
  type SessionEvent,
  type SessionEventOf,
  type SessionStatus,
  type TokenBudgetWarning,
} from '@roundhouse/backend-types'
import type { LaunchSpec } from '../host-contract/launch-spec'
import type { ByeReason, HostMessage, HostRequest, StopHow } from '../host-contract/messages'
import type { SessionFiles } from '../host-contract/paths'
import type { SessionLog } from '../log/session-log'
import { credentialsOf, type Redactor } from '../redact/redactor'
import { loadAdapter } from './adapters'
import { BackendSlot, type RunningBackend } from './backend-slot'
import { closingEvents, mergeChanges, noProcess, type ProcessEnd, unknownDecisions } from './close-process'
import { CommandDesk } from './command-desk'
import { loadDigestKey } from './digest'
import { Grants } from './grants'
import type { Guard } from './guard'
import type { HostRecordFile } from './host-record'
import { IdleClock } from './idle-clock'
import { Journal } from './journal'
import { LiveBlocks } from './live-blocks'
import { notesFolder } from './notes'
import { OutputPump } from './output-pump'
import { PermissionDesk } from './permission-desk'
import { RawRing } from './raw-ring'
import { Resumer } from './resumer'
import { desiredOf, nextOutputStep, readSettings, type StoredSettings, settingsKey } from './settings'
import { StateBoard } from './state-board'
import { summaryOf } from './summary'
import { TurnRunner } from './turn-runner'

export interface HostParts {
  launch: LaunchSpec
  files: SessionFiles
  log: SessionLog
  redact: Redactor
  record: HostRecordFile
  guard: Guard
  env: Record<string, string>
  /** Adds to the values that are taken out of everything. */
  hide(credentials: readonly string[]): void
  broadcast(message: HostMessage): void
  /** All is written: the process may end. */
  ended(why: ByeReason, message?: string): void
  now(): number
}

export class SessionHost {
  readonly board: StateBoard
  private readonly journal: Journal
  private readonly live: LiveBlocks
  private readonly ring: RawRing
  private readonly grants: Grants
  private readonly slot: BackendSlot
  private readonly desk: PermissionDesk
  private readonly turns: TurnRunner
  private readonly commands: CommandDesk
  private readonly idle: IdleClock
  private readonly resumer: Resumer
  private policy: LaunchSpec['policy']
  private stored: StoredSettings | null
  private loaded: Promise<BackendAdapter> | null = null
  /** Tasks that the backend runs beside its turns. */
  private readonly background = new Set<string>()
  private closing = false
  private stalled = false
  private backlog = false
  private why: 'idle' | 'ended_by_person' | null = null

  constructor(private readonly parts: HostParts) {
    const { launch, files, log, redact, now } = parts
    const newId = () => randomUUID()
    const changed = () => this.changed()
    this.policy = launch.policy
    this.journal = new Journal(log, now)
    this.stored = readSettings(log.rows)
    this.hideCredentials()
    this.board = new StateBoard(
      launch.sessionId,
      log,
      () => this.describe(),
      (state) => parts.broadcast({ type: 'state', state }),
    )
    this.live = new LiveBlocks({
      sessionId: launch.sessionId,
      folder: files.spool,
      redact,
      now,
      send: (frames) => parts.broadcast({ type: 'live', frames }),
    })
    this.ring = new RawRing(files.rawRing, launch.ringBytes)
    this.grants = new Grants(this.journal, now)
    this.desk = new PermissionDesk({
      journal: this.journal,
      grants: this.grants,
      redact,
      digestKey: loadDigestKey(launch.digestKeyPath),
      now,
      newId,
      policy: () => this.policy,
      workDir: () => this.requireSettings().realWorkDir,
      turnId: () => this.turns.current?.turnId,
      respond: async (decision) => {
        const running = this.requireRunning()
        if (!running.adapter.respondToPermission) throw new CodedError('UNSUPPORTED')
        await running.adapter.respondToPermission(running.process, decision)
      },
      steer: (text) => this.steer(text),
      changed,
    })
    this.slot = new BackendSlot({
      sessionId: launch.sessionId,
      journal: this.journal,
      record: parts.record,
      guard: parts.guard,
      memory: launch.notesDir === undefined ? null : notesFolder(launch.notesDir),
      newId,
      adapter: () => this.adapter(),
      settings: () => this.requireSettings(),
      policy: () => this.policy,
      wire: (running) => pump.attach(running),
      changed,
    })
    this.turns = new TurnRunner({
      journal: this.journal,
      slot: this.slot,
      desk: this.desk,
      live: this.live,
      newId,
      settings: () => this.stored,
      isClosing: () => this.closing || this.journal.projection.ended !== null,
      changed,
      news: (commandId, state) => void this.news(commandId, { state }),
      startFailed: (error) => this.startFailed(newId(), error),
    })
    this.idle = new IdleClock(
      launch.idleMs,
      () => this.isBusy(),
      () => void this.shutDown('idle'),
    )
    this.resumer = new Resumer(() => this.resumeByItself())
    const pump = new OutputPump({
      journal: this.journal,
      live: this.live,
      ring: this.ring,
      redact,
      isCurrent: (running) => this.slot.isCurrent(running),
      turnId: () => this.turns.current?.turnId,
      turnStarted: (running) => this.turns.begun(running),
      turnCompleted: (info) => {
        this.turns.completed(info)
        this.resumer.reset()
      },
      asked: (procId, request) => this.desk.ask(procId, request),
      withdrawn: (callId) => this.desk.withdraw(callId),
      exited: (running, code, info) => this.exited(running, code, info),
      budget: (running, warning) => this.budget(running, warning),
      background: this.background,
      activity: () => this.idle.touch(),
    })
    this.commands = new CommandDesk({
      journal: this.journal,
      turns: this.turns,
      desk: this.desk,
      grants: this.grants,
      backends: Object.keys(launch.backends),
      now,
      policy: () => this.policy,
      settings: () => this.stored,
      applySettings: (stored) => this.apply(stored),
      configureBackend: () => this.slot.configure(desiredOf(this.requireSettings().settings)),
      steer: (text) => this.steer(text),
      resume: (fresh) => this.resume(fresh),
      endProcess: () => this.endProcess(),
      stopSession: (command) => this.stopSession(command),
      deleteSession: () => this.deleteSession(),
      blank: (seq) => this.journal.log.blank(seq),
      news: (commandId, answer) => this.news(commandId, answer),
    })
  }

  /** After the recovery and when the socket listens. */
  start(): void {
    this.commands.runLeftOvers()
    this.turns.advance()
    this.idle.touch()
    this.changed()
  }

  /** Starts nothing and only leaves its account for whoever asks while no host runs. */
  async rest(): Promise<void> {
    this.closing = true
    this.dispose()
    await this.saveLastState()
  }

  async handle(request: HostRequest): Promise<unknown> {
    this.idle.touch()
    switch (request.type) {
      case 'command':
        return this.commands.receive(request.command)
      case 'cancel':
        return this.commands.cancel(request.commandId)
      case 'block': {
        const block = this.live.read(request.blockId, request.from)
        if (!block) throw new CodedError('NOT_FOUND')
        return block
      }
      case 'policy':
        this.policy = request.policy
        this.grants.endAll('policy')
        return {}
      case 'stop':
        return this.stop(request.how)
    }
  }

  /** The log's own news, passed in by whoever opened it. */
  diskStalled(stalled: boolean): void {
    this.stalled = stalled
    this.changed()
  }

  pressure(high: boolean): void {
    this.backlog = high
    const running = this.slot.running
    if (running) running.adapter.pauseOutput?.(running.process, high)
    this.changed()
  }

  /** Ends the backend, closes what is open, and then the host is done. */
  async shutDown(why: 'idle' | 'shutdown' | 'deleted'): Promise<void> {
    if (this.closing) return
    this.closing = true
    await this.endBackend(why === 'idle' ? 'idle' : 'ended_by_person')
    await this.commands.settled()
    this.dispose()
    await this.saveLastState()
    this.parts.ended(why)
  }

  private async saveLastState(): Promise<void> {
    // A disk that refuses must not keep the host from ending; the log tells of it.
    await this.journal.write({ meta: { lastState: JSON.stringify(this.board.fresh()) } }).catch(() => {})
  }

  private dispose(): void {
    this.idle.dispose()
    this.resumer.dispose()
    this.desk.dispose()
    this.grants.dispose()
    this.ring.close()
  }

  private async stop(how: StopHow): Promise<{ stopped: boolean }> {
    switch (how) {
      case 'idle':
        if (this.isBusy()) return { stopped: false }
        void this.shutDown('idle')
        return { stopped: true }
      case 'end_process':
        await this.endProcess()
        return { stopped: true }
      case 'shutdown':
        void this.shutDown('shutdown')
        return { stopped: true }
    }
  }

  private isBusy(): boolean {
    const { entries, held } = this.turns.waiting
    const queued = entries.length > 0 && !held
    const waits = this.desk.requests().length > 0 || this.background.size > 0
    return this.turns.current !== null || this.slot.isStarting || waits || queued
  }

  private changed(): void {
    this.idle?.touch()
    this.board.raise()
  }

  private describe() {
    const turnId = this.turns.current?.turnId
    const { entries, held } = this.turns.waiting
    return {
      status: this.status(),
      ...(turnId === undefined ? {} : { turnId }),
      queue: [...entries],
      queueHeld: held,
      requests: this.desk.requests(),
      openBlocks: this.live.openBlocks(),
    }
  }

  private status(): SessionStatus {
    const { ended, exit } = this.journal.projection
    if (ended) return { status: 'ended', why: ended.why, ...(ended.error ? { error: ended.error } : {}) }
    if (this.stalled) return { status: 'paused', why: 'disk' }
    if (this.slot.isStarting && this.slot.running === null) return { status: 'starting' }
    if (this.turns.current) {
      if (this.desk.requests().length > 0) return { status: 'needs_you' }
      return this.backlog ? { status: 'paused', why: 'backlog' } : { status: 'running' }
    }
    if (this.slot.running) return { status: 'idle' }
    if (exit) return { status: 'resumable', why: exit.why, ...(exit.error ? { error: exit.error } : {}) }
    return this.why ? { status: 'resumable', why: this.why } : { status: 'idle' }
  }

  /** Told when it is on the disk, together with what the caller writes in this very step. */
  private async news(commandId: string, answer: CommandAnswer): Promise<void> {
    await Promise.resolve()
    await this.journal.write({}).then(
      () => this.parts.broadcast({ type: 'news', commandId, answer }),
      () => {},
    )
  }

  private apply(stored: StoredSettings): void {
    this.stored = stored
    this.hideCredentials()
  }

  /** What the session's own environment adds is as secret as the machine's. */
  private hideCredentials(): void {
    this.parts.hide(credentialsOf(this.stored?.settings.env ?? {}))
  }

  private adapter(): Promise<BackendAdapter> {
    const { launch, files, env } = this.parts
    const { backend } = this.requireSettings().settings
    const binaryPath = launch.backends[backend]?.binaryPath
    const { trustProjectConfig } = this.policy
    const context: AdapterContext = {
      env,
      scratchDir: files.scratch,
      ...(binaryPath === undefined ? {} : { binaryPath }),
      ...(trustProjectConfig === undefined ? {} : { trustProjectConfig }),
    }
    this.loaded ??= loadAdapter(backend, context, launch.playerPath)
    this.loaded.catch(() => {
      this.loaded = null
    })
    return this.loaded
  }

  private requireSettings(): StoredSettings {
    if (!this.stored) throw new CodedError('SESSION_NOT_FOUND')
    return this.stored
  }

  private requireRunning(): RunningBackend {
    const { running } = this.slot
    if (!running) throw new CodedError('REQUEST_GONE')
    return running
  }

  private async steer(text: string): Promise<boolean> {
    const { running } = this.slot
    return running?.adapter.steer ? running.adapter.steer(running.process, text) : false
  }

  /** The backend went by itself (RES-2). */
  private exited(running: RunningBackend, code: number | null, info: ExitInfo | undefined): void {
    const signal = info?.signal ?? null
    const by = signal ? `by ${signal}` : `with code ${code ?? 'unknown'}`
    const error = { code: 'BACKEND_CRASHED', message: `The backend ended ${by}.` }
    const stderrTail = (info?.stderrTail ?? '').slice(-4_096)
    this.slot.evict(running)
    void this.close(running.procId, 'crashed', { code, signal, stderrTail, cause: 'crashed', error })
    if (this.stored?.settings.autoResume) this.resumer.later()
  }

  private startFailed(procId: string, { code, message }: CodedError): void {
    const exit = { code: null, signal: null, stderrTail: '', cause: 'start_failed', error: { code, message } } as const
    void this.journal.record([{ kind: 'process_exited', procId, ...exit }], noProcess)
  }

  private async endBackend(why: 'idle' | 'ended_by_person'): Promise<void> {
    const ended = await this.slot.end()
    this.why = why
    if (!ended) return
    if (this.turns.current || why === 'ended_by_person') {
      await this.close(ended.procId, 'stopped', { code: null, signal: 'SIGTERM', stderrTail: '', cause: 'killed' })
      return
    }
    this.background.clear()
    await this.journal.write(noProcess)
  }

  private async close(procId: string, kind: ProcessEnd['kind'], exit: ProcessEnd['exit']): Promise<void> {
    const ledger = this.desk.currentLedger
    this.background.clear()
    const { blocks, done } = this.live.takeAll()
    const commandId = this.turns.current?.commandId
    const end = { procId, exit, kind, silent: false, commandId, blocks, ledger }
    const events = closingEvents(this.journal.projection, end)
    const change = mergeChanges(
      { moved: unknownDecisions(ledger, procId) },
      this.desk.forget(procId),
      kind === 'crashed' ? this.grants.forgetAll() : {},
      this.turns.closedBy('process_exited'),
      noProcess,
    )
    await this.journal.record(events, change)
    done()
    this.changed()
  }

  private async endProcess(): Promise<void> {
    this.resumer.dispose()
    await this.endBackend('ended_by_person')
  }

  private async resume(fresh: boolean): Promise<void> {
    if (this.turns.current) return
    if (fresh) {
      const summary = summaryOf(this.journal.log)
      await this.slot.end()
      await this.slot.startAfresh(summary)
      const note: SessionEvent = { kind: 'system', subtype: 'started_afresh', data: { summaryChars: summary.length } }
      await this.journal.record([note], noProcess)
    }
    try {
      await this.slot.ensure(desiredOf(this.requireSettings().settings), '')
    } catch (error) {
      this.startFailed(randomUUID(), error as CodedError)
      throw error
    }
  }

  private async resumeByItself(): Promise<boolean> {
    if (this.closing || this.slot.running || this.journal.projection.ended) return true
    return this.resume(false).then(
      () => true,
      () => false,
    )
  }

  private async stopSession(command: Command): Promise<void> {
    await this.endSession({ why: 'stopped', author: command.author, commandId: command.commandId })
  }

  private async deleteSession(): Promise<void> {
    setImmediate(() => void this.shutDown('deleted'))
  }

  private async endSession(told: Pick<SessionEventOf<'session_ended'>, 'why' | 'author' | 'commandId'>): Promise<void> {
    await this.endBackend('ended_by_person')
    this.grants.endAll('session_ended')
    await this.journal.record([{ kind: 'session_ended', ...told }])
    this.changed()
    setImmediate(() => void this.shutDown('shutdown'))
  }

  /** The window runs full: the warning, and a shorter longest answer from the next turn on (RES-7). */
  private budget(running: RunningBackend, warning: TokenBudgetWarning): void {
    const events: SessionEvent[] = [{ kind: 'token_budget_warning', procId: running.procId, ...warning }]
    const stored = this.requireSettings()
    const step = nextOutputStep(warning.maxOutputTokens)
    if (step === null) {
      void this.journal.record(events)
      return
    }
    const next = { ...stored, settings: { ...stored.settings, maxOutputTokens: step } }
    this.stored = next
    events.push({ kind: 'session_configured', changes: { maxOutputTokens: step }, by: 'ladder' })
    void this.journal.record(events, { meta: { [settingsKey]: JSON.stringify(next) } })
  }
}
