/**
 * One session, put together: its log, its turns, its backend, its permission requests and the socket to the daemon. Every
 * part keeps to its own file; here they only meet.
 */
import { randomUUID } from 'node:crypto'
import {
  CodedError,
  type Command,
  type CommandAnswer,
  type SessionEvent,
  type SessionEventOf,
  toCodedError,
} from '@roundhouse/backend-types'
import type { LaunchSpec } from '../host-contract/launch-spec'
import type { ByeReason, HostMessage, HostRequest, StopHow } from '../host-contract/messages'
import type { SessionFiles } from '../host-contract/paths'
import type { SessionLog } from '../log/session-log'
import type { Redactor } from '../redact/redactor'
import { AdapterShelf } from './adapters'
import { BackendSlot, type RunningBackend } from './backend-slot'
import { noProcess } from './close-process'
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
import { ProcessEnds } from './process-ends'
import { RawRing } from './raw-ring'
import { Resumer } from './resumer'
import { statusOf } from './session-status'
import { desiredOf } from './settings'
import { SettingsKeeper } from './settings-keeper'
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
  private readonly settings: SettingsKeeper
  private readonly live: LiveBlocks
  private readonly ring: RawRing
  private readonly grants: Grants
  private readonly slot: BackendSlot
  private readonly desk: PermissionDesk
  private readonly turns: TurnRunner
  private readonly commands: CommandDesk
  private readonly ends: ProcessEnds
  private readonly idle: IdleClock
  private readonly resumer: Resumer
  private policy: LaunchSpec['policy']
  /** Tasks that the backend runs beside its turns. */
  private readonly background = new Set<string>()
  private closing = false
  private stalled = false
  private backlog = false

  constructor(private readonly parts: HostParts) {
    const { launch, files, log, redact, now } = parts
    const newId = () => randomUUID()
    const changed = () => this.changed()
    this.policy = launch.policy
    this.journal = new Journal(log, now)
    this.settings = new SettingsKeeper(this.journal, parts.hide)
    const adapters = new AdapterShelf(launch, parts.env, files.scratch)
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
      workDir: () => this.settings.require().realWorkDir,
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
      adapter: () => adapters.get(this.settings.require().settings.backend),
      settings: () => this.settings.require(),
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
      settings: () => this.settings.current,
      isClosing: () => this.closing || this.journal.projection.ended !== null,
      changed,
      news: (commandId, state) => void this.news(commandId, { state }),
      startFailed: (error) => this.ends.startFailed(newId(), error),
    })
    this.ends = new ProcessEnds({
      journal: this.journal,
      slot: this.slot,
      turns: this.turns,
      desk: this.desk,
      grants: this.grants,
      live: this.live,
      background: this.background,
      changed,
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
      exited: (running, code, info) => {
        this.ends.crashed(running, code, info)
        if (this.settings.current?.settings.autoResume) this.resumer.later()
      },
      budget: (running, warning) => this.settings.budget(running.procId, warning),
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
      settings: () => this.settings.current,
      applySettings: (stored) => this.settings.apply(stored),
      configureBackend: () => this.slot.configure(desiredOf(this.settings.require().settings)),
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
    this.holdOutput()
  }

  pressure(high: boolean): void {
    this.backlog = high
    this.holdOutput()
  }

  /** What cannot be written must not be read: the program waits on its pipe. */
  private holdOutput(): void {
    const { running } = this.slot
    if (running) running.adapter.pauseOutput?.(running.process, this.stalled || this.backlog)
    this.changed()
  }

  /** Ends the backend, closes what is open, and then the host is done. */
  async shutDown(why: 'idle' | 'shutdown' | 'deleted'): Promise<void> {
    if (this.closing) return
    this.closing = true
    await this.ends.end(why === 'idle' ? 'idle' : 'ended_by_person')
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
      status: statusOf({
        projection: this.journal.projection,
        diskStalled: this.stalled,
        backlog: this.backlog,
        isStarting: this.slot.isStarting,
        isRunning: this.slot.running !== null,
        inTurn: this.turns.current !== null,
        openRequests: this.desk.requests().length,
        planned: this.ends.planned,
      }),
      ...(turnId === undefined ? {} : { turnId }),
      queue: [...entries],
      queueHeld: held,
      requests: this.desk.requests(),
      openBlocks: this.live.openBlocks(),
    }
  }

  /** Told when it is on the disk, together with what the caller writes in this very step. */
  private async news(commandId: string, answer: CommandAnswer): Promise<void> {
    await Promise.resolve()
    await this.journal.write({}).then(
      () => this.parts.broadcast({ type: 'news', commandId, answer }),
      () => {},
    )
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

  private async endProcess(): Promise<void> {
    this.resumer.dispose()
    await this.ends.end('ended_by_person')
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
      await this.slot.ensure(desiredOf(this.settings.require().settings), '')
    } catch (error) {
      this.ends.startFailed(randomUUID(), toCodedError(error))
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
    await this.ends.end('ended_by_person')
    this.grants.endAll('session_ended')
    await this.journal.record([{ kind: 'session_ended', ...told }])
    this.changed()
    setImmediate(() => void this.shutDown('shutdown'))
  }
}
