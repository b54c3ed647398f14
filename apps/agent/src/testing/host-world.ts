/**
 * A machine for host tests: folders of its own, the real host bundle, the real scripted backend, and a client that waits
 * on what the host says. `dispose` leaves no process behind.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Command,
  type CommandAnswer,
  type CommandBody,
  type HostState,
  type LiveFrame,
  parseEventBody,
  type SessionEvent,
  type SessionEventKind,
  type SessionEventOf,
  type SessionSettings,
} from '@roundhouse/backend-types'
import { buildPlayer, tempDir } from '../../../../packages/adapter-testkit/src/index'
import { connectHost, type HostClient } from '../host-contract/client'
import { doorOf, type HostDoor } from '../host-contract/host-door'
import { type LaunchedHost, launchHost } from '../host-contract/launch'
import type { HostRecord, LaunchSpec } from '../host-contract/launch-spec'
import { sessionFiles, socketPathFor } from '../host-contract/paths'
import { untilReady } from '../host-contract/until-ready'
import { openLogReader } from '../log/reader'
import { classify, type HostClass } from '../processes/classify'
import { markReader, type ReadMarks } from '../processes/mark-reader'
import { bundle } from './bundle'
import { processesOf } from './processes-of'

export const ana = { userId: 'u1', name: 'Ana' }

export class HostWorld {
  readonly sessionId = `s-${randomUUID().slice(0, 8)}`
  private readonly root = tempDir('host')
  readonly workDir = this.folder('work')
  readonly stateDir = this.folder('state')
  readonly sessionDir = join(this.root.path, this.sessionId)
  readonly files = sessionFiles(this.sessionDir)
  readonly launch: LaunchSpec
  readonly readMarks: ReadMarks
  private cmdSeq = 0
  private readonly hosts: LaunchedHost[] = []
  readonly socketKey = randomBytes(32)
  private readonly doors = new Map<LaunchedHost, HostDoor>()

  private constructor(
    private readonly hostEntry: string,
    reaperEntry: string,
    playerPath: string,
  ) {
    this.readMarks = markReader({ entry: reaperEntry })
    this.launch = {
      version: 1,
      sessionId: this.sessionId,
      sessionDir: this.sessionDir,
      socketPath: socketPathFor(this.folder('run'), this.sessionId),
      mode: 'run',
      idleMs: 900_000,
      policy: { roots: [this.workDir], maxSandbox: 'workspace-write', allowBypassPermissions: false },
      backends: { scripted: {} },
      playerPath,
      digestKeyPath: join(this.root.path, 'digest.key'),
      reaperEntry,
    }
  }

  static async create(): Promise<HostWorld> {
    const [host, reaper, player] = await Promise.all([
      bundle('session-host/main.ts'),
      bundle('reaper/main.ts'),
      buildPlayer(),
    ])
    return new HostWorld(host, reaper, player)
  }

  start(changes: Partial<Omit<LaunchSpec, 'launchId'>> = {}, env: Record<string, string> = {}): LaunchedHost {
    const launch = { ...this.launch, launchId: randomBytes(8).toString('hex'), ...changes }
    const launched = launchHost({
      node: process.execPath,
      hostEntry: this.hostEntry,
      launch,
      socketKey: this.socketKey,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.root.path,
        ROUNDHOUSE_SCRIPT_STATE: this.stateDir,
        ROUNDHOUSE_SCRIPT_SPEED: '0',
        ...env,
      },
    })
    this.hosts.push(launched)
    this.doors.set(launched, doorOf(launch, this.socketKey))
    return launched
  }

  async attach(launched: LaunchedHost): Promise<HostView> {
    const door = this.doorOf(launched)
    const view = new HostView()
    const handlers = view.handlers()
    const patience = { limitMs: 20_000, exited: launched.exited }
    view.client = await untilReady(() => connectHost(door, handlers), patience)
    view.states.push(view.client.hello.state)
    view.told()
    return view
  }

  doorOf(launched: LaunchedHost | undefined = this.hosts.at(-1)): HostDoor {
    const door = launched && this.doors.get(launched)
    if (!door) throw new Error('no host was started')
    return door
  }

  /** Another daemon, beside the first. */
  attachAgain(): Promise<HostView> {
    const running = this.hosts.at(-1)
    if (!running) throw new Error('no host was started')
    return this.attach(running)
  }

  async open(changes: Partial<Omit<LaunchSpec, 'launchId'>> = {}, env: Record<string, string> = {}): Promise<HostView> {
    return this.attach(this.start(changes, env))
  }

  command(body: CommandBody, commandId = `c-${randomUUID().slice(0, 8)}`): Command {
    return { commandId, sessionId: this.sessionId, cmdSeq: ++this.cmdSeq, author: ana, createdAt: 1, body }
  }

  create(settings: Partial<SessionSettings> = {}, prompt?: string): Command {
    return this.command({
      kind: 'session.create',
      settings: { backend: 'scripted', workDir: this.workDir, ...settings },
      ...(prompt === undefined ? {} : { prompt: { promptId: `p-${randomUUID().slice(0, 8)}`, text: prompt } }),
    })
  }

  prompt(text: string, rest: { steer?: boolean; override?: { model?: string; mode?: string } } = {}): Command {
    return this.command({ kind: 'prompt.send', promptId: `p-${randomUUID().slice(0, 8)}`, text, ...rest })
  }

  events(): SessionEvent[] {
    return this.envelopes().flatMap(({ body }) => {
      const event = parseEventBody(body)
      return event && event.kind !== 'tombstone' && event.kind !== 'opaque' ? [event] : []
    })
  }

  kinds(): SessionEventKind[] {
    return this.events().map(({ kind }) => kind)
  }

  of<K extends SessionEventKind>(kind: K): Array<SessionEventOf<K>> {
    return this.events().filter((event): event is SessionEventOf<K> => event.kind === kind)
  }

  envelopes() {
    const reader = openLogReader(this.sessionDir)
    try {
      return reader.read(0, { maxEvents: 10_000, maxBytes: Number.MAX_SAFE_INTEGER })
    } finally {
      reader.close()
    }
  }

  /** On the disk. */
  logBytes(): number {
    return statSync(this.files.log).size
  }

  lastState(): HostState | null {
    const reader = openLogReader(this.sessionDir)
    try {
      return reader.lastState()
    } finally {
      reader.close()
    }
  }

  answerOf(commandId: string): CommandAnswer | null {
    const reader = openLogReader(this.sessionDir)
    try {
      return reader.answerOf(commandId)
    } finally {
      reader.close()
    }
  }

  record(): HostRecord {
    return JSON.parse(readFileSync(this.files.host, 'utf8'))
  }

  marked(): number[] {
    return processesOf(this.sessionId)
  }

  hostLog(): string {
    return readFileSync(this.files.hostLog, 'utf8')
  }

  spooled(): string[] {
    return readdirSync(this.files.spool)
  }

  /** The file in which the player keeps the one conversation of this world. */
  conversationFile(): string {
    const [only] = readdirSync(this.stateDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.jsonl?$/.test(name),
    )
    return only ?? ''
  }

  /** What a daemon that comes now finds. */
  found(patienceMs?: number, readMarks: ReadMarks = this.readMarks): Promise<HostClass> {
    return classify(this.sessionId, this.sessionDir, this.socketKey, readMarks, patienceMs)
  }

  /** Resolves when the guard of a dead host has ended everything and said so. */
  guardIsDone(): Promise<void> {
    return whenFile(this.files.guardNote, () => true)
  }

  folder(name: string): string {
    const path = join(this.root.path, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }

  /** Asks the hosts to end, so that their guards go too; then ends whatever still carries the mark. */
  async dispose(): Promise<void> {
    const marked = new Set(this.marked())
    for (const { pid } of this.hosts) if (marked.has(pid)) end(pid, 'SIGTERM')
    await Promise.allSettled(this.hosts.map(({ exited }) => exited))
    for (const pid of this.marked()) end(pid, 'SIGKILL')
    this.root.remove()
  }
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Resolves when the file is there and says what is waited for; looked at whenever something in its folder changes. */
export function whenFile(file: string, says: (text: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!existsSync(file) || !says(readFileSync(file, 'utf8'))) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dirname(file), check)
    check()
  })
}

/** What one daemon hears of a host. Every wait is on a message. */
export class HostView {
  client!: HostClient
  readonly states: HostState[] = []
  readonly frames: LiveFrame[] = []
  readonly news = new Map<string, CommandAnswer>()
  head = 0
  closed: { bye: string | null } | null = null
  private readonly waiting = new Set<() => void>()

  handlers() {
    return {
      head: (head: number) => {
        this.head = head
        this.told()
      },
      state: (state: HostState) => {
        this.states.push(state)
        this.told()
      },
      live: (frames: LiveFrame[]) => {
        this.frames.push(...frames)
        this.told()
      },
      news: (commandId: string, answer: CommandAnswer) => {
        this.news.set(commandId, answer)
        this.told()
      },
      closed: (bye: { why: string } | null) => {
        this.closed = { bye: bye?.why ?? null }
        this.told()
      },
    }
  }

  get state(): HostState {
    const latest = this.states.at(-1)
    if (!latest) throw new Error('no state was told')
    return latest
  }

  told(): void {
    for (const check of [...this.waiting]) check()
  }

  /** Resolves with the first value that is not undefined, null or false; asked again after every message. */
  until<T>(ask: () => T | undefined | null | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        try {
          const value = ask()
          if (value === undefined || value === null || value === false) return
          this.waiting.delete(check)
          resolve(value)
        } catch (error) {
          this.waiting.delete(check)
          reject(error)
        }
      }
      this.waiting.add(check)
      check()
    })
  }

  /** The command is over: done, refused or of unknown outcome. */
  result(commandId: string): Promise<CommandAnswer> {
    return this.until(() => this.news.get(commandId))
  }

  async run(command: Command): Promise<CommandAnswer> {
    const answer = await this.client.command(command)
    return answer.state === 'accepted' ? this.result(command.commandId) : answer
  }

  status(status: HostState['status']['status']): Promise<HostState> {
    return this.until(() => this.state.status.status === status && this.state)
  }

  gone(): Promise<string | null> {
    return this.until(() => this.closed).then(({ bye }) => bye)
  }
}
