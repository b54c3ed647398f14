/** What a session does: its permission requests, its turns, the end of its program, and turns that were made elsewhere. */
import { randomUUID } from 'node:crypto'
import { CodedError } from '@roundhouse/backend-types'
import { ImageFiles } from '../host-contract/image-files'
import { endLeftovers } from '../processes/leftovers'
import { SessionLife } from './commands/session-life'
import { loadDigestKey } from './permissions/digest'
import { FolderRules, keptRules } from './permissions/folder-rules'
import { Grants } from './permissions/grants'
import { PermissionBroker } from './permissions/permission-broker'
import { Steering } from './program/steering'
import { Elsewhere } from './recovery/elsewhere'
import { ElsewhereWatch } from './recovery/elsewhere-watch'
import type { SessionBasis } from './session-basis'
import type { SessionOutput } from './session-output'
import { desiredOf, type StoredSettings, sessionFolders } from './settings/settings'
import { transcriptFinder, transcriptReader } from './transcript/transcript'
import { TranscriptRest } from './transcript/transcript-rest'
import { ProcessEnds } from './turns/process-ends'
import { TurnCloser } from './turns/turn-closer'
import { TurnRunner } from './turns/turn-runner'

export class SessionWork {
  readonly images: ImageFiles
  readonly grants: Grants
  readonly folderRules: FolderRules
  readonly steering: Steering
  readonly broker: PermissionBroker
  readonly elsewhere: Elsewhere
  readonly watch: ElsewhereWatch
  readonly closer: TurnCloser
  readonly ends: ProcessEnds
  readonly life: SessionLife
  readonly turnRunner: TurnRunner

  constructor(
    private readonly basis: SessionBasis,
    private readonly output: SessionOutput,
  ) {
    const { ports, journal, runner } = basis
    this.images = new ImageFiles(ports.files.images)
    this.grants = new Grants(journal, ports.now)
    this.folderRules = this.makeFolderRules()
    this.steering = new Steering(() => runner.running, this.images)
    this.broker = this.makeBroker()
    this.elsewhere = this.makeElsewhere()
    this.watch = new ElsewhereWatch({
      elsewhere: this.elsewhere,
      found: () => runner.fallBehind(),
      surprised: (error) => void ports.surprised(error),
    })
    this.closer = this.makeCloser()
    this.ends = this.makeEnds()
    this.life = this.makeLife()
    this.turnRunner = this.makeTurnRunner()
  }

  dispose(): void {
    this.watch.dispose()
    this.life.dispose()
    this.broker.dispose()
    this.grants.dispose()
  }

  private readonly turnOver = (): void => this.basis.signals.say({ type: 'turn_over' })

  private makeFolderRules(): FolderRules {
    const { ports, standing, settings } = this.basis
    const { rulesFolder, sessionId } = ports.launch
    const session = {
      sessionId,
      folder: () => settings.require().realWorkDir,
      settings: () => settings.require().settings,
    }
    return new FolderRules(keptRules(rulesFolder, ports.now), session, () => standing.policy, ports.now)
  }

  private makeBroker(): PermissionBroker {
    const { ports, standing, journal, settings, runner, turns, signals, ownPlace } = this.basis
    const { ids } = this.output
    return new PermissionBroker({
      journal,
      grants: this.grants,
      folderRules: this.folderRules,
      redact: ports.redact,
      digestKey: loadDigestKey(ports.launch.digestKeyPath),
      now: ports.now,
      newId: randomUUID,
      policy: () => standing.policy,
      session: {
        workDir: () => settings.require().realWorkDir,
        folders: () => sessionFolders(settings.require()),
        rules: () => settings.require().settings.permissionConfig,
        readsOnly: () => settings.require().settings.sandbox === 'read-only',
        isOwnTool: (toolName) => {
          const capabilities = runner.running?.adapter.capabilities
          return capabilities !== undefined && ownPlace?.hasTool(toolName, capabilities) === true
        },
      },
      turnId: () => turns.current?.turnId,
      respond: async (decision) => {
        const { running } = runner
        if (!running) throw new CodedError('REQUEST_GONE')
        if (!running.adapter.respondToPermission) throw new CodedError('UNSUPPORTED')
        const callId = ids.original(decision.callId)
        await running.adapter.respondToPermission(running.process, { ...decision, callId })
      },
      steer: (text) => this.steering.text(text),
      changeMode: (mode) => ({
        change: settings.changeMode(mode),
        // A failure here is repaired before the next turn.
        tell: () => void runner.configure(desiredOf(settings.require().settings)).catch(() => {}),
      }),
      changed: signals.changed,
    })
  }

  private makeElsewhere(): Elsewhere {
    const { ports, journal, adapters, runner, turns } = this.basis
    const adapterFor = ({ settings }: StoredSettings) => adapters.get(settings.backend)
    return new Elsewhere({
      journal,
      redact: ports.redact,
      read: transcriptReader(adapterFor),
      find: transcriptFinder(adapterFor),
      newId: randomUUID,
      isOurs: () => turns.current !== null || runner.isStarting || runner.running?.adapter.isOnlyWriter === true,
    })
  }

  private makeCloser(): TurnCloser {
    const { journal, conversation, settings, runner, turns, signals } = this.basis
    const { live, background } = this.output
    return new TurnCloser({
      journal,
      conversation,
      settings,
      runner,
      broker: this.broker,
      live,
      background,
      state: turns,
      newId: randomUUID,
      changed: signals.changed,
      over: this.turnOver,
    })
  }

  private makeEnds(): ProcessEnds {
    const { ports, journal, adapters, runner, turns, hold, wish, signals } = this.basis
    const { live, background } = this.output
    const readTranscript = transcriptReader(({ settings }) => adapters.get(settings.backend))
    return new ProcessEnds({
      journal,
      runner,
      turns,
      closer: this.closer,
      broker: this.broker,
      grants: this.grants,
      live,
      rest: new TranscriptRest(readTranscript, ports.redact),
      endLeftovers: () => endLeftovers(ports.programs.readMarks, ports.launch.sessionId),
      hold,
      background,
      wish,
      changed: signals.changed,
      over: this.turnOver,
    })
  }

  private makeLife(): SessionLife {
    const { ports, standing, journal, runner, turns, settings, wish, forbids, signals } = this.basis
    return new SessionLife({
      journal,
      runner,
      turns,
      ends: this.ends,
      grants: this.grants,
      settings,
      wish,
      forbids,
      isClosing: () => standing.closing,
      hasPlace: () => standing.place,
      now: ports.now,
      shutDown: (why) => signals.say({ type: 'shut_down', why }),
      changed: signals.changed,
    })
  }

  private makeTurnRunner(): TurnRunner {
    const { ports, standing, journal, runner, turns, settings, hold, forbids, signals } = this.basis
    return new TurnRunner({
      journal,
      runner,
      images: this.images,
      state: turns,
      closer: this.closer,
      ends: this.ends,
      hold,
      life: this.life,
      stopLimitMs: ports.launch.stopLimitMs,
      newId: randomUUID,
      settings: () => settings.current,
      readElsewhere: (promptId) => this.watch.before(promptId),
      mayBegin: () => !standing.closing && journal.projection.ended === null && standing.place,
      forbids: (desired) => {
        const why = forbids(desired)
        if (why) void this.ends.forbidden(randomUUID(), why)
        return why
      },
      changed: signals.changed,
    })
  }
}
