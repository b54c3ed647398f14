/** A machine whose sessions lose their hosts, for tests of what goes on by itself (RES-3). */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { type CommandBody, parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import type { Daemon } from '../daemon/daemon'
import type { DaemonOptions } from '../daemon/daemon-options'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { openLogReader } from '../log/reader'
import { AgentBench } from './agent-bench'
import { FakeHub } from './fake-hub'

export class CrashingMachine {
  private daemon: Daemon | null = null

  private constructor(
    readonly hub: FakeHub,
    readonly bench: AgentBench,
  ) {}

  static async start(): Promise<CrashingMachine> {
    const hub = new FakeHub()
    await hub.start()
    const machine = new CrashingMachine(hub, new AgentBench(hub))
    await machine.begin()
    return machine
  }

  async dispose(): Promise<void> {
    await this.daemon?.endSessions(5_000)
    await this.hub.stop()
    await this.bench.dispose()
  }

  get running(): Daemon {
    if (!this.daemon) throw new Error('no daemon runs')
    return this.daemon
  }

  async begin(options: Partial<DaemonOptions> = {}): Promise<void> {
    const { hub } = this
    const before = hub.hellos.length
    this.daemon = await this.bench.daemon(options)
    await hub.until(() => hub.hellos.length > before && hub.ready)
  }

  /** The daemon is gone; the hosts live. */
  async loseDaemon(): Promise<void> {
    await this.running.leave()
    this.daemon = null
  }

  async restartDaemon(): Promise<void> {
    await this.loseDaemon()
    await this.begin()
  }

  /** Somebody ends all sessions of the machine, and starts it again later. */
  async endSessionsAndBegin(): Promise<void> {
    await this.running.endSessions(5_000)
    await this.begin()
  }

  allowPrograms(runningSessions: number): void {
    const policy = this.bench.policy.current()
    this.bench.policy.write({ ...policy, limits: { ...policy.limits, runningSessions } })
  }

  events(sessionId: string): SessionEvent[] {
    return (this.hub.sessions.get(sessionId) ?? []).flatMap(
      ({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [],
    )
  }

  count(sessionId: string, kind: SessionEvent['kind']): number {
    return this.events(sessionId).filter((event) => event.kind === kind).length
  }

  /** How often its program was started. */
  starts = (sessionId: string) => this.count(sessionId, 'session_started')

  until(test: () => boolean): Promise<void> {
    return this.hub.until(test)
  }

  folder = (sessionId: string) => path.join(this.bench.home.sessions, sessionId)
  files = (sessionId: string) => sessionFiles(this.folder(sessionId))

  kill(sessionId: string): void {
    this.signal(sessionId, 'SIGKILL')
  }

  freeze(sessionId: string): void {
    this.signal(sessionId, 'SIGSTOP')
  }

  private signal(sessionId: string, signal: NodeJS.Signals): void {
    const record = readFileSync(this.files(sessionId).host, 'utf8')
    process.kill(HostRecord.parse(JSON.parse(record)).pid, signal)
  }

  /** What the hub was told last of the session. */
  status(sessionId: string): { status: string; why?: string; resumes?: { attempt: number; at: number } } {
    const state = this.hub.states.filter((one) => one.sessionId === sessionId).at(-1)
    return state?.status as { status: string }
  }

  /** What the session's last host wrote down at its end. */
  leftStatus(sessionId: string): object | undefined {
    const reader = openLogReader(this.folder(sessionId))
    const state = reader.lastState()
    reader.close()
    return state?.status
  }

  async command(sessionId: string, body: CommandBody, ordered = true): Promise<void> {
    await this.hub.command(this.bench.command(sessionId, body, ordered))
  }

  /** A session in the middle of a turn: it has asked for something. */
  async asks(sessionId: string, autoResume = true): Promise<void> {
    const text = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
    await this.makes(sessionId, text, autoResume)
    await this.until(() => this.count(sessionId, 'permission_requested') === 1)
  }

  /** A session whose turn is over, and whose program waits for the next. */
  async rests(sessionId: string, autoResume = true): Promise<void> {
    await this.makes(sessionId, script([{ text: 'Here.' }]), autoResume)
    await this.until(() => this.count(sessionId, 'turn_completed') === 1 && this.status(sessionId).status === 'idle')
  }

  private async makes(sessionId: string, text: string, autoResume: boolean): Promise<void> {
    this.hub.sessions.set(sessionId, [])
    const settings = {
      backend: 'scripted',
      workDir: this.bench.workDir,
      ...(autoResume ? { autoResume } : {}),
    } as const
    await this.command(sessionId, { kind: 'session.create', settings, prompt: { promptId: `p-${sessionId}`, text } })
  }

  /** Its host is dead, its log is closed, and it pauses before the next attempt. */
  async crashes(sessionId: string, attempt = 1): Promise<void> {
    this.kill(sessionId)
    await this.until(() => this.status(sessionId).resumes?.attempt === attempt)
  }
}
