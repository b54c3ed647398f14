/**
 * The parts of one session and how they are joined. Every part keeps to its own file; here they only meet. What they do
 * together, from start to end, is the host's.
 */
import { randomUUID } from 'node:crypto'
import { CodedError, type CommandAnswer, type ReportedTask } from '@roundhouse/backend-types'
import { writeCommands } from '../host-contract/commands-file'
import { ImageFiles } from '../host-contract/image-files'
import { processesMarked } from '../processes/mark-reader'
import { CommandInbox } from './commands/command-inbox'
import { SessionLife } from './commands/session-life'
import type { HostAsWhole, HostPorts } from './host-ports'
import { IdleClock } from './idle-clock'
import { asksLog } from './journal/asks-log'
import { Journal } from './journal/journal'
import { LogCare } from './log-care'
import { BackgroundTasks, backgroundKey, taskEnded } from './output/background-tasks'
import { LiveBlocks } from './output/live-blocks'
import { OutputHold } from './output/output-hold'
import { OutputPump } from './output/output-pump'
import { RawRing } from './output/raw-ring'
import { TaskOutputs } from './output/task-outputs'
import { loadDigestKey } from './permissions/digest'
import { Grants } from './permissions/grants'
import { PermissionBroker } from './permissions/permission-broker'
import { AdapterLoader } from './program/adapter-loader'
import { progressBlock } from './program/fit-reports'
import { followMode, followSettings } from './program/follow-mode'
import { endLeftovers } from './program/leftovers'
import { ProgramIds } from './program/program-ids'
import { ProgramRunner, type RunningBackend } from './program/program-runner'
import { refusePrompt } from './program/refuse-prompt'
import { Steering } from './program/steering'
import { Elsewhere } from './recovery/elsewhere'
import { ElsewhereWatch } from './recovery/elsewhere-watch'
import { accountOf, isBusy } from './session-account'
import { ConversationKeeper } from './settings/conversation-keeper'
import { judgeAgain } from './settings/judge-again'
import { notesFolder } from './settings/notes'
import { type Applied, desiredOf, type StoredSettings, sessionFolders } from './settings/settings'
import { SettingsKeeper } from './settings/settings-keeper'
import { WishKeeper } from './settings/wish-keeper'
import { StatePublisher } from './state-publisher'
import { transcriptFinder, transcriptReader } from './transcript/transcript'
import { TranscriptRest } from './transcript/transcript-rest'
import { ProcessEnds } from './turns/process-ends'
import { TurnRunner } from './turns/turn-runner'

export class SessionParts {
  readonly publisher: StatePublisher
  readonly journal: Journal
  readonly conversation: ConversationKeeper
  readonly care: LogCare
  readonly settings: SettingsKeeper
  readonly adapters: AdapterLoader
  readonly live: LiveBlocks
  readonly ring: RawRing
  readonly grants: Grants
  readonly runner: ProgramRunner
  readonly broker: PermissionBroker
  readonly turns: TurnRunner
  readonly commands: CommandInbox
  readonly ends: ProcessEnds
  readonly idle: IdleClock
  readonly life: SessionLife
  readonly pump: OutputPump
  readonly hold: OutputHold
  readonly background: BackgroundTasks
  readonly outputs: TaskOutputs
  readonly elsewhere: Elsewhere
  readonly watch: ElsewhereWatch
  private readonly ids = new ProgramIds()
  private readonly images: ImageFiles
  private readonly steering: Steering
  readonly wish: WishKeeper

  constructor(
    private readonly ports: HostPorts,
    private readonly host: HostAsWhole,
  ) {
    const { launch, files, log, redact, now, scratchDir } = ports
    this.journal = new Journal(log, now, asksLog(launch, now))
    this.conversation = new ConversationKeeper(this.journal)
    this.hold = new OutputHold(() => this.runner.running ?? this.runner.endingNow, this.changed)
    this.care = new LogCare(this.journal, launch.limits, now, this.hold)
    this.settings = new SettingsKeeper(this.journal, ports.hide)
    this.wish = this.makeWish()
    this.adapters = new AdapterLoader(launch, ports.env, scratchDir, ports.redact, {
      mayLeave: (folders) => ports.record.mayLeave(folders),
      markedBy: (entries) => processesMarked(ports.readMarks, entries),
    })
    this.publisher = new StatePublisher(
      launch.sessionId,
      log,
      () => accountOf(this),
      (state) => ports.broadcast({ type: 'state', state }),
    )
    this.live = new LiveBlocks({
      sessionId: launch.sessionId,
      folder: files.spool,
      redact,
      send: (frames) => ports.broadcast({ type: 'live', frames }),
    })
    const clean = (text: string) => redact(text).text
    this.background = new BackgroundTasks(now, clean, (callId) => this.outputs.printed(callId))
    this.outputs = new TaskOutputs({
      live: this.live,
      lastSeq: () => log.lastSeq,
      running: () => this.background.callIds,
      denied: () => {
        const { denyPaths = [], agentPlaces = [] } = host.policy()
        return [...denyPaths, ...agentPlaces]
      },
    })
    this.ring = new RawRing(files.rawRing, launch.ringBytes)
    this.grants = new Grants(this.journal, now)
    this.images = new ImageFiles(files.images)
    this.steering = new Steering(() => this.runner.running, this.images)
    this.broker = this.makeBroker()
    this.runner = this.makeRunner()
    this.elsewhere = this.makeElsewhere()
    this.watch = new ElsewhereWatch({
      elsewhere: this.elsewhere,
      found: () => this.runner.fallBehind(),
      surprised: (error) => void ports.surprised(error),
    })
    this.turns = this.makeTurns()
    this.ends = this.makeEnds()
    this.idle = new IdleClock(
      launch.idleMs,
      () => isBusy(this) || ports.isAwaited(),
      () => host.shutDown('idle'),
    )
    this.life = this.makeLife()
    this.pump = this.makePump()
    this.commands = this.makeCommands()
  }

  /** For whatever changed: somebody is here, and the account is another one. */
  readonly changed = (): void => {
    this.idle?.touch()
    this.publisher.raise()
  }

  dispose(): void {
    this.idle.dispose()
    this.watch.dispose()
    this.life.dispose()
    this.broker.dispose()
    this.grants.dispose()
    this.outputs.dispose()
    this.ring.close()
  }

  private readonly forbids = (desired: Applied): CodedError | null =>
    judgeAgain(this.host.policy(), this.settings.require(), desired)

  /** Told when it is on the disk, together with what the caller writes in this very step. */
  private async news(commandId: string, answer: CommandAnswer): Promise<void> {
    await Promise.resolve()
    await this.journal.write({}).then(
      () => this.ports.broadcast({ type: 'news', commandId, answer }),
      () => {},
    )
  }

  private makeWish(): WishKeeper {
    return new WishKeeper({
      journal: this.journal,
      hint: this.ports.hint,
      autoResume: () => this.settings.current?.settings.autoResume === true,
      now: this.ports.now,
      changed: () => {
        this.life.lookAtWish()
        this.changed()
      },
    })
  }

  private requireRunning(): RunningBackend {
    const { running } = this.runner
    if (!running) throw new CodedError('REQUEST_GONE')
    return running
  }

  private async stopTask(taskId: string, commandId: string): Promise<void> {
    const task = this.background.list.find((one) => one.taskId === taskId)
    const { running } = this.runner
    if (!task || !running) throw new CodedError('ALREADY_ENDED', 'It does not run in the background any more.')
    if (!task.canStop || !running.adapter.stopTask) throw new CodedError('UNSUPPORTED')
    await running.adapter.stopTask(running.process, this.ids.original(taskId))
    await this.journal.record([{ ...taskEnded(task, 'stopped'), commandId }])
  }

  private backgroundTold(running: readonly ReportedTask[]): void {
    for (const { callId } of this.background.told(running)) {
      if (callId !== undefined) this.live.discard(progressBlock(callId))
    }
    if (this.runner.running) this.outputs.told(this.runner.running.procId, running)
    const list = JSON.stringify(this.background.list)
    void this.journal.write({ meta: { [backgroundKey]: list } }).catch(() => {})
    this.changed()
  }

  private makeBroker(): PermissionBroker {
    const { launch, redact, now } = this.ports
    return new PermissionBroker({
      journal: this.journal,
      grants: this.grants,
      redact,
      digestKey: loadDigestKey(launch.digestKeyPath),
      now,
      newId: randomUUID,
      policy: () => this.host.policy(),
      workDir: () => this.settings.require().realWorkDir,
      folders: () => sessionFolders(this.settings.require()),
      turnId: () => this.turns.current?.turnId,
      respond: async (decision) => {
        const running = this.requireRunning()
        if (!running.adapter.respondToPermission) throw new CodedError('UNSUPPORTED')
        const callId = this.ids.original(decision.callId)
        await running.adapter.respondToPermission(running.process, { ...decision, callId })
      },
      steer: (text) => this.steering.text(text),
      changeMode: (mode) => ({
        change: this.settings.changeMode(mode),
        // What cannot be told now is taken up before the next turn.
        tell: () => void this.runner.configure(desiredOf(this.settings.require().settings)).catch(() => {}),
      }),
      changed: this.changed,
    })
  }

  private makeRunner(): ProgramRunner {
    const { launch, record, guard } = this.ports
    return new ProgramRunner({
      sessionId: launch.sessionId,
      journal: this.journal,
      conversation: this.conversation,
      wish: this.wish,
      record,
      guard,
      memory: launch.notesDir === undefined ? null : notesFolder(launch.notesDir),
      newId: randomUUID,
      adapter: () => this.adapters.get(this.settings.require().settings.backend),
      settings: () => this.settings.require(),
      forbids: this.forbids,
      left: (procId) => void this.ends.leftFor(procId).catch(() => {}),
      wire: (running) => {
        this.pump.attach(running)
        if (this.hold.holds) this.hold.apply()
      },
      changed: this.changed,
    })
  }

  private makeElsewhere(): Elsewhere {
    const adapterFor = ({ settings }: StoredSettings) => this.adapters.get(settings.backend)
    const isOurs = () =>
      this.turns.current !== null || this.runner.isStarting || this.runner.running?.adapter.isOnlyWriter === true
    return new Elsewhere({
      journal: this.journal,
      redact: this.ports.redact,
      read: transcriptReader(adapterFor),
      find: transcriptFinder(adapterFor),
      newId: randomUUID,
      isOurs,
    })
  }

  private makeTurns(): TurnRunner {
    return new TurnRunner({
      journal: this.journal,
      conversation: this.conversation,
      runner: this.runner,
      images: this.images,
      broker: this.broker,
      live: this.live,
      background: this.background,
      newId: randomUUID,
      settings: () => this.settings.current,
      readElsewhere: (promptId) => this.watch.before(promptId),
      isClosing: () => this.host.isClosing() || this.journal.projection.ended !== null,
      forbids: (desired) => {
        const why = this.forbids(desired)
        if (why) void this.ends.forbidden(randomUUID(), why)
        return why
      },
      hasPlace: () => this.host.hasPlace(),
      isHeld: () => this.hold.holds,
      stopLimitMs: this.ports.launch.stopLimitMs,
      endProcess: () => this.life.endProcess(),
      changed: this.changed,
      news: (commandId, state) => void this.news(commandId, { state }),
      startFailed: (error) => this.ends.startFailed(randomUUID(), error),
    })
  }

  private makeEnds(): ProcessEnds {
    const readTranscript = transcriptReader(({ settings }) => this.adapters.get(settings.backend))
    return new ProcessEnds({
      journal: this.journal,
      runner: this.runner,
      turns: this.turns,
      broker: this.broker,
      grants: this.grants,
      live: this.live,
      rest: new TranscriptRest(readTranscript, this.ports.redact),
      endLeftovers: () => endLeftovers(this.ports.readMarks, this.ports.launch.sessionId),
      isHeld: () => this.hold.holds,
      background: this.background,
      wish: this.wish,
      changed: this.changed,
    })
  }

  private makeLife(): SessionLife {
    return new SessionLife({
      journal: this.journal,
      runner: this.runner,
      turns: this.turns,
      ends: this.ends,
      grants: this.grants,
      settings: this.settings,
      wish: this.wish,
      forbids: this.forbids,
      isClosing: () => this.host.isClosing(),
      hasPlace: () => this.host.hasPlace(),
      now: this.ports.now,
      shutDown: (why) => this.host.shutDown(why),
      changed: this.changed,
    })
  }

  private makePump(): OutputPump {
    const following = {
      journal: this.journal,
      runner: this.runner,
      settings: this.settings,
      policy: () => this.host.policy(),
      endProcess: () => this.life.endProcess(),
    }
    return new OutputPump({
      journal: this.journal,
      conversation: this.conversation,
      live: this.live,
      outputs: this.outputs,
      ids: this.ids,
      ring: this.ring,
      redact: this.ports.redact,
      isCurrent: (running) => this.runner.isCurrent(running),
      hearsLastWords: (running) => this.ends.hears(running),
      turnId: () => this.turns.current?.turnId,
      turnStarted: (running) => this.turns.begun(running),
      turnCompleted: (info) => {
        this.turns.completed(info)
        this.life.turnCompleted()
      },
      asked: (procId, request) => this.broker.ask(procId, request),
      withdrawn: (callId) => this.broker.withdraw(callId),
      exited: (running, code, info) => this.ends.crashed(running, code, info),
      modeChanged: (running, mode) => followMode(following, running, mode),
      settingsChanged: (running, change) => followSettings(following, running, change),
      commands: (commands) => writeCommands(this.ports.files.commands, commands, this.ports.redact),
      budget: ({ procId, adapter }, warning) => this.settings.budget(procId, warning, adapter.capabilities),
      background: (running) => this.backgroundTold(running),
      activity: () => this.idle.touch(),
    })
  }

  private makeCommands(): CommandInbox {
    const { launch, now } = this.ports
    const prompts = {
      backend: () => this.settings.current?.settings.backend,
      adapter: (backend: string) => this.adapters.get(backend),
    }
    return new CommandInbox({
      journal: this.journal,
      diskTrouble: () => this.hold.disk,
      refusePrompt: (body) => refusePrompt(prompts, body),
      surprised: (error) => this.ports.surprised(error),
      turns: this.turns,
      broker: this.broker,
      grants: this.grants,
      backends: Object.keys(launch.backends),
      now,
      policy: () => this.host.policy(),
      settings: () => this.settings.current,
      forbidden: (why) => void this.ends.forbidden(randomUUID(), why),
      applySettings: (stored) => this.settings.apply(stored),
      configureBackend: () => this.runner.configure(desiredOf(this.settings.require().settings)),
      steer: (prompt) => this.steering.prompt(prompt),
      images: this.images,
      stopTask: (taskId, commandId) => this.stopTask(taskId, commandId),
      life: this.life,
      blank: (seq) => this.journal.log.blank(seq),
      news: (commandId, answer) => this.news(commandId, answer),
    })
  }
}
