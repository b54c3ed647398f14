/**
 * The agent daemon: takes over the hosts of the one before it, keeps the link to the hub, hands commands to hosts, and
 * sends what their logs hold. It holds nothing that a new daemon could not read again; killing it costs no turn.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { CommandAnswer } from '@roundhouse/backend-types'
import { type AgentHome, requireWritableHome, runtimeFolder } from '../files/agent-home'
import { agentPlaces } from '../files/agent-places'
import type { LogLine } from '../files/log-line'
import { scratchFolder } from '../files/scratch-folder'
import { probeWrite } from '../files/write-durably'
import { HubLink } from '../hub-link'
import { auditHeadsFile } from '../identity/audit-heads-file'
import { askChallenge } from '../identity/challenge'
import { fingerprintLines } from '../identity/fingerprint-lines'
import { postJson } from '../identity/hub-http'
import { chainFile, type Identity, requireIdentity, signAs } from '../identity/identity-file'
import { socketKeyOf } from '../identity/socket-key'
import { ownerEnvironment } from '../policy/environment'
import { PauseSwitch } from '../policy/pause'
import { type Policy, policyDigest, summarizePolicy } from '../policy/policy'
import { PolicyStore } from '../policy/policy-store'
import { reapSession } from '../reaper/reap'
import { settleKey } from './change-key'
import { CommandDesk } from './command-desk'
import { type DaemonFile, removeDaemonFile, writeDaemonFile } from './daemon-file'
import { backendPaths, hostLimits, hostPolicy } from './host-policy'
import { type InstanceLock, takeInstanceLock } from './instance-lock'
import { linkPorts } from './link-ports'
import { LogSweeper } from './log-sweeper'
import { ManifestService, type ManifestSource } from './manifest-service'
import { NewsBox } from './news-box'
import { PolicyWatch } from './policy-watch'
import { Questions } from './questions'
import { QueueWaker } from './queue-waker'
import { refreshIndex } from './refresh-index'
import { RunningLimit } from './running-limit'
import { SessionIndex } from './session-index'
import { SessionLogs } from './session-logs'
import { Supervisor } from './supervisor'
import { VerbsLog } from './verbs-log'

export interface DaemonOptions {
  home: AgentHome
  env: Record<string, string | undefined>
  software: string
  hostEntry: string
  reaperEntry: string
  playerPath: string
  manifestSources: readonly ManifestSource[]
  idleMs: number
  log: LogLine
  /** The hub revoked this agent; its sessions have ended. */
  onRevoked(reason: string): void
  random?: () => number
  now?: () => number
}

const SWEEP_EVERY_MS = 600_000
/** How long the first hello waits for the backends to say what they can do. */
const MANIFEST_PATIENCE_MS = 2_000
const REVOKED_LIMIT_MS = 8_000

export class Daemon {
  private readonly lock: InstanceLock
  private readonly identity: Identity
  private readonly policyStore: PolicyStore
  private readonly policyWatch: PolicyWatch
  private readonly index: SessionIndex
  private readonly logs: SessionLogs
  private readonly supervisor: Supervisor
  private readonly manifest: ManifestService
  private readonly news = new NewsBox()
  private readonly limit: RunningLimit
  private readonly waker: QueueWaker
  private readonly sweeper: LogSweeper
  private readonly link: HubLink
  private readonly runtimeDir: string
  private readonly now: () => number
  private readonly startedAt: number
  private sweepTimer: NodeJS.Timeout | null = null

  /** Throws `STATE_UNWRITABLE`, `ALREADY_RUNNING`, or says that the agent has not joined a hub yet. */
  constructor(private readonly options: DaemonOptions) {
    const { home, env, log } = options
    this.now = options.now ?? Date.now
    this.startedAt = this.now()
    requireWritableHome(home, probeWrite)
    this.identity = requireIdentity(home.identityFile)
    this.lock = takeInstanceLock(home.lockFile)
    this.policyStore = new PolicyStore(home.policyFile, home.home)
    this.policyWatch = new PolicyWatch(this.policyStore, new PauseSwitch(home.pauseFile), log)
    this.runtimeDir = runtimeFolder(home, env)
    this.index = new SessionIndex(home.indexFile)
    this.logs = new SessionLogs(home.sessions)
    this.manifest = new ManifestService(options.manifestSources, () => this.policy(), this.now)
    this.supervisor = new Supervisor(
      {
        hostEntry: options.hostEntry,
        reaperEntry: options.reaperEntry,
        playerPath: options.playerPath,
        runtimeDir: this.runtimeDir,
        digestKeyPath: home.digestKeyFile,
        verbsLog: home.verbsLog,
        idleMs: options.idleMs,
        socketKey: socketKeyOf(this.identity),
        env: () => ownerEnvironment(env, this.policy().envAllow),
        scratchDir: () => scratchFolder(home),
        policy: () =>
          hostPolicy(this.policy(), {
            paused: this.isPaused(),
            agentPlaces: this.ownPlaces(),
            wrongVersions: this.manifest.wrongVersions(),
          }),
        limits: () => hostLimits(this.policy().limits),
        backends: () =>
          backendPaths(
            this.policy(),
            options.manifestSources.map(({ kind }) => kind),
          ),
        keepOrphans: () => this.policy().orphans === 'keep',
        reap: async (sessionId, sessionDir) => void (await reapSession(sessionDir, sessionId)),
      },
      this.index,
      this.logs,
      {
        head: (sessionId, head) => this.link.appended(sessionId, head),
        // What was agreed with the hub was about the old one.
        newLog: (sessionId) => this.link.reconnect(`the log of ${sessionId} is another one`),
        state: (state) => {
          this.waker.seen(state)
          this.link.state(state)
        },
        closed: (state) => void this.waker.left(state),
        live: (frames) => this.link.live(frames),
        news: (sessionId, commandId, answer) => this.tell(sessionId, commandId, answer),
        changed: () => this.limit.look(),
        log,
      },
    )
    this.limit = new RunningLimit(
      () => this.policy().limits.runningSessions,
      () => this.supervisor.running(),
      (waits) => this.link.waits(waits),
    )
    this.waker = new QueueWaker({
      enter: (sessionId) => this.limit.enter(sessionId, `queue of ${sessionId}`),
      entered: (sessionId) => this.limit.entered(sessionId),
      start: (sessionId) => this.supervisor.slot(sessionId).host(),
      log,
    })
    this.sweeper = new LogSweeper(this.index, this.logs, this.supervisor, () => this.policy().limits, this.now, log)
    this.link = this.makeLink(log)
  }

  async start(): Promise<void> {
    const { home, log } = this.options
    this.writeFile('not connected')
    // Where an earlier version kept temporary files of programs.
    rmSync(path.join(home.state, 'scratch'), { recursive: true, force: true })
    const lost = refreshIndex(this.index, this.logs, this.supervisor.sessionIds(), this.news)
    for (const sessionId of lost)
      log(`${sessionId}: its log is gone, shorter than it was, or no log; it goes on as a new one`)
    await this.supervisor.adoptAll(lost)
    const attached = this.supervisor.all().filter((slot) => slot.attached !== null).length
    log(`agent ${this.identity.name} (${this.identity.agentId}), hub ${this.identity.hubUrl}, state in ${home.state}`)
    if (attached > 0) log(`took over ${attached} running ${attached === 1 ? 'session' : 'sessions'}`)
    log(summarizePolicy(this.policy()))
    if (this.isPaused()) log('paused by its owner; to go on: roundhouse-agent resume')
    this.policyWatch.start(
      () => this.policyChanged(),
      () => {
        if (this.manifest.isStale()) void this.lookAtBackends()
      },
    )
    await Promise.race([this.lookAtBackends(), patience(MANIFEST_PATIENCE_MS)])
    this.sweepTimer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS)
    this.sweepTimer.unref()
    this.link.start()
  }

  /** Leaves the hosts running; the next daemon finds them. */
  async leave(): Promise<void> {
    this.supervisor.releaseAll()
    await this.close()
  }

  /** Ends every session's host first. */
  async endSessions(limitMs: number): Promise<void> {
    await this.supervisor.endAll(limitMs)
    await this.close()
  }

  /** REB-3, now and then by itself. */
  sweep(): Promise<void> {
    return this.sweeper.sweep()
  }

  liveSessions(): string[] {
    return this.supervisor.all().flatMap((slot) => (slot.attached ? [slot.sessionId] : []))
  }

  private async close(): Promise<void> {
    this.policyWatch.stop()
    if (this.sweepTimer) clearInterval(this.sweepTimer)
    await this.link.stop()
    this.logs.close()
    this.index.close()
    removeDaemonFile(this.options.home.daemonFile)
    this.lock.release()
  }

  private makeLink(log: LogLine): HubLink {
    const { identity, supervisor, options } = this
    const verbs = new VerbsLog(options.home.verbsLog, this.now)
    const desk = new CommandDesk({
      policy: () => ({ ...this.policyStore.current(), agentPlaces: this.ownPlaces() }),
      wrongVersions: () => this.manifest.wrongVersions(),
      paused: () => this.isPaused(),
      exists: (sessionId) => supervisor.exists(sessionId),
      answerOf: (sessionId, commandId) => this.logs.reader(sessionId)?.answerOf(commandId) ?? null,
      forward: (command) => supervisor.forward(command),
      cancel: async (sessionId, commandId) => (await supervisor.slot(sessionId).host()).cancel(commandId),
      erase: (sessionId) => supervisor.slot(sessionId).erase(),
      enter: (sessionId, commandId) => this.limit.enter(sessionId, commandId),
      entered: (sessionId) => this.limit.entered(sessionId),
      leaveQueue: (commandId) => this.limit.cancel(commandId),
      news: (sessionId, commandId, answer) => this.tell(sessionId, commandId, answer),
      record: (command, answer) => {
        verbs.write(command, answer)
        if (command.body.kind === 'permission.decide' && answer.state === 'refused') this.tellState(command.sessionId)
      },
      now: this.now,
    })
    const ports = linkPorts({
      // The key may have changed since the last connection.
      identity: { ...identity, sign: (text) => signAs(requireIdentity(options.home.identityFile), text) },
      chain: chainFile(options.home.chainFile),
      auditHeads: auditHeadsFile(options.home.auditHeadsFile),
      hello: () => this.hello(),
      index: this.index,
      logs: this.logs,
      supervisor,
      desk,
      questions: new Questions(
        () => this.policy(),
        () => this.isPaused(),
        this.manifest,
        supervisor,
        (kind, refusal) => verbs.asked(kind, refusal),
      ),
      news: this.news,
      waits: () => this.limit.waits(),
      connected: (connected) => {
        if (connected) log(`connected to ${identity.hubUrl}`)
        this.writeFile(connected ? 'connected' : 'not connected')
      },
      log,
    })
    return new HubLink(ports, {
      askChallenge: async ({ hubUrl, hubPublicKey, agentId }) => {
        await settleKey(postJson, options.home, log)
        return askChallenge(postJson, hubUrl, { publicKey: hubPublicKey }, agentId)
      },
      onPending: () => {
        this.writeFile('waits for approval')
        const keys = fingerprintLines(requireIdentity(options.home.identityFile))
        log(['waits for approval at the hub; compare there, in Agents:', ...keys].join('\n'))
      },
      random: options.random ?? Math.random,
      onRevoked: (reason) => void this.revoked(reason),
    })
  }

  /** JOIN-3: the programs end within ten seconds; the logs stay. */
  private async revoked(reason: string): Promise<void> {
    this.options.log(`${reason} The sessions of this machine end; their logs stay.`)
    await this.endSessions(REVOKED_LIMIT_MS).catch((error: unknown) => this.options.log(String(error)))
    this.options.onRevoked(reason)
  }

  /** After the answer that is on its way: what was not decided here, the hub offers again only when it is told. */
  private tellState(sessionId: string): void {
    setImmediate(() => {
      const { state } = this.supervisor.slot(sessionId)
      if (state) this.link.state(state)
    })
  }

  private tell(sessionId: string, commandId: string, answer: CommandAnswer): void {
    this.link.news(this.news.add(sessionId, commandId, answer))
  }

  private policy(): Policy {
    return this.policyWatch.current()
  }

  private ownPlaces(): string[] {
    const { home, env, hostEntry } = this.options
    return agentPlaces(home, {
      runtimeDir: this.runtimeDir,
      programDir: path.dirname(hostEntry),
      hubDataDir: env.ROUNDHOUSE_DATA_DIR,
      roots: this.policy().roots,
    })
  }

  private isPaused(): boolean {
    return this.policyWatch.pausedSince() !== null
  }

  private policyChanged(): void {
    this.supervisor.policyChanged()
    this.limit.look()
    this.link.reconnect('the policy changed')
    void this.lookAtBackends()
  }

  private async lookAtBackends(): Promise<void> {
    const manifest = await this.manifest.refresh()
    // Which versions are allowed is a part of what hosts are told.
    this.supervisor.policyChanged()
    this.link.manifest(manifest)
  }

  private hello() {
    const policy = this.policy()
    const pausedAt = this.policyWatch.pausedSince()
    return {
      software: this.options.software,
      policyDigest: policyDigest(policy),
      manifest: this.manifest.current(),
      host: { name: this.identity.name, platform: process.platform, arch: process.arch },
      policy: { roots: policy.roots, maxSandbox: policy.maxSandbox, summary: summarizePolicy(policy), pausedAt },
    }
  }

  private writeFile(link: DaemonFile['link']): void {
    const { pid } = process
    writeDaemonFile(this.options.home.daemonFile, {
      pid,
      startedAt: this.startedAt,
      connected: link === 'connected',
      link,
      hubUrl: this.identity.hubUrl,
    })
  }
}

const patience = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
