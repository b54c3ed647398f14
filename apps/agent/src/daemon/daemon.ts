/**
 * The agent daemon: takes over the hosts of the previous daemon, keeps the link to the hub, passes commands to hosts, and
 * sends the events in their logs. A new daemon can read all its state again, so killing it costs no turn.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandAnswer, isLack } from '@roundhouse/backend-types'
import type { FileLock } from '@roundhouse/owner'
import { requireWritableHome } from '../files/agent-home'
import { agentPlaces } from '../files/agent-places'
import type { LogLine } from '../files/log-line'
import { removeLeftScratch } from '../files/scratch-folder'
import { SocketFolders } from '../files/socket-folders'
import { HubLink } from '../hub-link'
import { type Identity, requireIdentity } from '../identity/identity-file'
import { socketKeyOf } from '../identity/socket-key'
import { type Policy, summarizePolicy } from '../policy/policy'
import { CommandRouter } from './commands/command-router'
import { Questions } from './commands/questions'
import type { DaemonOptions } from './daemon-options'
import { greetingOf } from './greeting'
import { type DaemonFile, removeDaemonFile, writeDaemonFile } from './home/daemon-file'
import { type DiskWatch, watchDisk } from './home/disk-watch'
import { holdAsAgent, ownIdentity } from './home/hold-home'
import { VerbsLog } from './home/verbs-log'
import { hostSurroundings } from './host-surroundings'
import { Supervisor } from './hosts/supervisor'
import { linkOptions } from './link-options'
import { linkPorts } from './link-ports'
import { LogMender } from './logs/log-mender'
import { NewsOutbox } from './logs/news-outbox'
import { SessionIndex } from './logs/session-index'
import { SessionLogs } from './logs/session-logs'
import { HubFolder } from './looks/hub-folder'
import { ManifestService } from './looks/manifest-service'
import { PathLooker } from './looks/path-looker'
import { WorkFiles } from './looks/work-files'
import { Places } from './places/places'
import { steadyLimits } from './policy/host-policy'
import { type PolicyWatch, watchPolicy } from './policy/policy-watch'
import { routerPorts } from './router-ports'
import { LogSweeper } from './sweep/log-sweeper'
import { type TranscriptWatch, watchTranscripts } from './sweep/transcript-watch'
import { takeOver } from './take-over'

const SWEEP_EVERY_MS = 600_000
/** How long the first hello waits for the backends' capabilities. */
const MANIFEST_PATIENCE_MS = 2_000
const REVOKED_LIMIT_MS = 8_000

export class Daemon {
  private readonly lock: FileLock
  private readonly identity: Identity
  private readonly looker: PathLooker
  /** For work that nobody asked for, so that it takes no looker from requests. */
  private readonly ownLooker: PathLooker
  private readonly hubFolder: HubFolder
  private readonly workFiles: WorkFiles
  private readonly policyWatch: PolicyWatch
  private readonly disk: DiskWatch
  private readonly index: SessionIndex
  private readonly logs: SessionLogs
  private readonly mender: LogMender
  private readonly supervisor: Supervisor
  private readonly manifest: ManifestService
  private readonly news = new NewsOutbox()
  private readonly places: Places
  private readonly router: CommandRouter
  private readonly sweeper: LogSweeper
  private readonly transcripts: TranscriptWatch
  private readonly verbs: VerbsLog
  private readonly link: HubLink
  private readonly sockets: SocketFolders
  private readonly now: () => number
  private readonly startedAt: number
  private sweepTimer: NodeJS.Timeout | null = null

  /** Throws `STATE_UNWRITABLE` or `ALREADY_RUNNING`, or an error that says that the agent has not joined a hub yet. */
  constructor(private readonly options: DaemonOptions) {
    const { home, env, log } = options
    this.now = options.now ?? Date.now
    this.startedAt = this.now()
    const limits = steadyLimits(this.now, () => this.policy().limits)
    this.disk = watchDisk(home.state, () => this.link?.waits(this.places.waits()), log)
    requireWritableHome(home, (file) => this.disk.probeAtStart(file))
    this.identity = requireIdentity(home.identityFile)
    this.lock = holdAsAgent(home)
    this.looker = new PathLooker({ entry: options.lookerEntry })
    this.ownLooker = new PathLooker({ entry: options.lookerEntry, most: 2 })
    this.hubFolder = new HubFolder(env.ROUNDHOUSE_DATA_DIR, options, this.ownLooker)
    this.policyWatch = watchPolicy(home, options, this.looker, log)
    const rules = () => ({ ...this.policy(), agentPlaces: this.ownPlaces() })
    this.workFiles = new WorkFiles(options.lookerEntry, rules, (sessionId) => this.supervisor.files(sessionId))
    this.sockets = new SocketFolders(home, env)
    this.index = new SessionIndex(home.indexFile, this.disk.guard('the index'), log)
    this.logs = new SessionLogs(home.sessions, {
      hadEvents: (sessionId) => (this.index.get(sessionId)?.last ?? 0) > 0,
      damaged: (sessionId, why) => this.mender.damaged(sessionId, why),
      log,
    })
    this.mender = new LogMender(async (sessionId) => {
      if (this.supervisor.holds(sessionId)) await this.supervisor.hosted(sessionId).mend() // unless it was erased meanwhile
    }, log)
    this.verbs = new VerbsLog(home.verbsLog, this.now)
    this.manifest = new ManifestService(
      options.manifestSources,
      () => this.policy(),
      (files) => this.ownLooker.see({ look: 'stats', files }),
      this.now,
    )
    this.supervisor = new Supervisor(
      hostSurroundings({
        options,
        sockets: this.sockets,
        socketKey: socketKeyOf(this.identity),
        looker: this.ownLooker,
        manifest: this.manifest,
        limits,
        policy: () => this.policy(),
        ownPlaces: () => this.ownPlaces(),
        paused: () => this.isPaused(),
      }),
      this.index,
      this.logs,
      {
        head: (sessionId, head) => this.link.appended(sessionId, head),
        newLog: (sessionId) => this.link.renewed(sessionId),
        state: (state) => {
          this.disk.heard(state)
          this.places.seen(state)
          this.link.state(state)
        },
        closed: (state) => this.places.left(state),
        erased: (sessionId) => this.places.erased(sessionId),
        live: (frames) => this.link.live(frames),
        news: (sessionId, commandId, answer) => this.tell(sessionId, commandId, answer),
        changed: () => this.places.look(),
        log,
      },
    )
    this.places = new Places({
      limit: () => this.policy().limits.runningSessions,
      supervisor: () => this.supervisor,
      folder: (sessionId) => this.logs.folder(sessionId),
      lastState: (sessionId) => this.logs.askOnce(sessionId, (log) => log.lastState()),
      now: this.now,
      disk: this.disk,
      home,
      tell: () => this.link.waits(this.places.waits()),
      log,
    })
    this.router = new CommandRouter(
      routerPorts({
        rules: () => ({ ...this.policyWatch.required(), agentPlaces: this.ownPlaces() }),
        looker: this.looker,
        manifest: this.manifest,
        disk: this.disk,
        paused: () => this.isPaused(),
        supervisor: this.supervisor,
        index: this.index,
        logs: this.logs,
        places: this.places,
        verbs: this.verbs,
        image: (asked) => this.link.image(asked),
        tell: (sessionId, commandId, answer) => this.tell(sessionId, commandId, answer),
        log,
      }),
    )
    this.sweeper = new LogSweeper(this.index, this.logs, this.supervisor, limits, this.now, log)
    this.transcripts = watchTranscripts(this.index, this.logs, this.supervisor, this.ownLooker, this.now, log)
    this.link = this.makeLink(log)
  }

  async start(): Promise<void> {
    const { home, log } = this.options
    this.writeFile('not connected')
    // An earlier version kept temporary files of programs there.
    removeLeftScratch(path.join(home.state, 'scratch'))
    this.supervisor.goOnErasing()
    const attached = await takeOver(this.index, this.logs, this.supervisor, this.news, log)
    log(`agent ${this.identity.name} (${this.identity.agentId}), hub ${this.identity.hubUrl}, state in ${home.state}`)
    if (attached > 0) log(`took over ${attached} running ${attached === 1 ? 'session' : 'sessions'}`)
    log(summarizePolicy(this.policy()))
    if (this.isPaused()) log('paused by its owner; to continue: roundhouse-agent resume')
    this.policyWatch.start(
      () => this.policyChanged(),
      () => {
        this.disk.look()
        void this.lookAtBackends(true)
      },
    )
    await Promise.race([this.lookAtBackends(), delay(MANIFEST_PATIENCE_MS, undefined, { ref: false })])
    this.places.wakeNoted()
    this.sweepTimer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS)
    this.sweepTimer.unref()
    this.transcripts.start()
    this.link.start()
  }

  /** Leaves the hosts running for the next daemon. */
  async leave(): Promise<void> {
    this.router.close()
    this.supervisor.releaseAll()
    await this.close()
  }

  /** Ends the hosts of all sessions first. */
  async endSessions(limitMs: number): Promise<void> {
    this.places.endSessions()
    this.transcripts.stop()
    this.router.close()
    await this.supervisor.endAll(limitMs)
    await this.close()
  }

  /** REB-3: prunes logs, and erases what could not be erased before. Runs from time to time. */
  sweep(): Promise<void> {
    this.supervisor.goOnErasing()
    return this.sweeper.sweep()
  }

  /** True if the disk refused a write or the machine lacked resources: no reason to exit. */
  outlives(error: unknown): boolean {
    return isLack(error) || this.disk.refused(error)
  }

  liveSessions(): string[] {
    return this.supervisor.all().flatMap((hosted) => (hosted.attached ? [hosted.sessionId] : []))
  }

  private async close(): Promise<void> {
    this.places.stop()
    this.policyWatch.stop()
    this.looker.close()
    this.ownLooker.close()
    this.workFiles.close()
    this.mender.stop()
    this.transcripts.stop()
    this.disk.stop()
    if (this.sweepTimer) clearInterval(this.sweepTimer)
    await this.link.stop()
    this.logs.close()
    this.index.close()
    removeDaemonFile(this.options.home.daemonFile)
    this.lock.release()
  }

  private makeLink(log: LogLine): HubLink {
    const { identity, supervisor, options } = this
    const ports = linkPorts({
      greeting: greetingOf({
        options,
        identity,
        disk: this.disk,
        policyWatch: this.policyWatch,
        manifest: this.manifest,
      }),
      index: this.index,
      logs: this.logs,
      supervisor,
      router: this.router,
      questions: new Questions(
        this.policyWatch,
        this.manifest,
        supervisor,
        this.looker,
        this.workFiles,
        (kind, refusal) => this.verbs.asked(kind, refusal),
      ),
      news: this.news,
      refusalKnown: (sessionId) => this.tellState(sessionId),
      waits: () => this.places.waits(),
      waiting: () => this.places.waiting(),
      attention: (sessionIds) => this.places.attention(sessionIds),
      connected: (connected) => {
        if (connected) log(`connected to ${identity.hubUrl}`)
        if (connected) this.places.letIn()
        this.writeFile(connected ? 'connected' : 'not connected')
      },
      log,
    })
    const pending = () => this.writeFile('waits for approval')
    const revoked = (reason: string) => void this.revoked(reason)
    return new HubLink(ports, linkOptions({ home: options.home, random: options.random, log, pending, revoked }))
  }

  /** JOIN-3: the programs end within ten seconds; the logs stay. */
  private async revoked(reason: string): Promise<void> {
    this.options.log(`${reason} The sessions of this machine end; their logs stay.`)
    await this.endSessions(REVOKED_LIMIT_MS).catch((error: unknown) => this.options.log(String(error)))
    this.options.onRevoked(reason)
  }

  /** After a decision that failed here, the hub offers the request again only when a newer account lists it. */
  private tellState(sessionId: string): void {
    const state = this.supervisor.known(sessionId)?.state
    if (state) this.link.state(state)
  }

  private tell(sessionId: string, commandId: string, answer: CommandAnswer): void {
    this.link.news(this.news.add(sessionId, commandId, answer))
  }

  private policy(): Policy {
    return this.policyWatch.current()
  }

  private ownPlaces(): string[] {
    return agentPlaces(this.options.home, {
      socketFolders: this.sockets.all,
      programDir: path.dirname(this.options.hostEntry),
      hubDataDir: this.hubFolder.current,
      roots: this.policy().roots,
    })
  }

  private isPaused(): boolean {
    return this.policyWatch.pausedSince() !== null
  }

  private policyChanged(): void {
    this.supervisor.policyChanged()
    this.places.look()
    this.link.reconnect('the policy changed')
    void this.hubFolder.lookAgain()
    void this.lookAtBackends()
  }

  private async lookAtBackends(ifDue = false): Promise<void> {
    const manifest = await (ifDue ? this.manifest.refreshIfDue() : this.manifest.refresh())
    if (manifest === null) return
    // The allowed versions are part of what hosts are told.
    this.supervisor.policyChanged()
    this.link.manifest(manifest)
  }

  private writeFile(link: DaemonFile['link']): void {
    this.disk.write('daemon.json', () =>
      writeDaemonFile(this.options.home.daemonFile, {
        pid: process.pid,
        startedAt: this.startedAt,
        ...ownIdentity(this.options.home),
        connected: link === 'connected',
        link,
        hubUrl: this.identity.hubUrl,
      }),
    )
  }
}
