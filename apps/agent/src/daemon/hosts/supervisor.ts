/**
 * All sessions of this machine and the hosts that run them: one `HostedSession` each, created when first needed. It knows
 * files and processes, not the meaning of commands.
 */

import { existsSync, readdirSync } from 'node:fs'
import { type Command, type CommandAnswer, Id } from '@roundhouse/backend-types'
import type { HostClient } from '../../host-contract/client'
import { type SessionFiles, sessionFiles } from '../../host-contract/paths'
import { markStopped } from '../../host-contract/stopped-mark'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import { Adoptions } from './adoptions'
import { Erasures } from './erasures'
import { forwardCommand } from './forward-command'
import type { CrowdedHost } from './host-crowd'
import type { HostSurroundings } from './host-surroundings'
import { LogRecords } from './log-records'
import type { RunningSession } from './running-session'
import { HostedSession } from './session/hosted-session'
import type { HostedSessionPorts } from './session/hosted-session-ports'
import { SessionEraser } from './session-eraser'
import { SessionLauncher } from './session-launcher'
import type { SupervisorEvents } from './supervisor-events'

export class Supervisor {
  readonly records: LogRecords
  private readonly sessions = new Map<string, HostedSession>()
  private readonly launcher: SessionLauncher
  private readonly ports: HostedSessionPorts
  private readonly erasures: Erasures
  private readonly adoptions = new Adoptions()

  constructor(
    around: HostSurroundings,
    private readonly index: SessionIndex,
    private readonly logs: SessionLogs,
    private readonly events: SupervisorEvents,
  ) {
    this.erasures = new Erasures(around.places.erasing)
    this.records = new LogRecords(index, logs, events)
    this.launcher = new SessionLauncher(around, index, logs, this.records)
    this.ports = {
      policy: () => around.rules.policy(),
      processes: this.launcher,
      records: this.records,
      reports: events,
      erasing: new SessionEraser(around.places, index, logs, this.erasures, (sessionId) => this.gone(sessionId)),
    }
  }

  get hubEpoch(): string | null {
    return this.records.hubEpoch
  }

  /** Sessions that somebody looks at. */
  get looked(): ReadonlySet<string> {
    return this.launcher.looked
  }

  set looked(sessionIds: ReadonlySet<string>) {
    this.launcher.looked = sessionIds
  }

  hosted(sessionId: string): HostedSession {
    const known = this.sessions.get(sessionId)
    if (known) return known
    const hosted = new HostedSession(sessionId, this.ports)
    if (this.launcher.ending) hosted.release()
    this.sessions.set(sessionId, hosted)
    return hosted
  }

  /** Only if it was needed before: a mere lookup creates none. */
  known(sessionId: string): HostedSession | undefined {
    return this.sessions.get(sessionId)
  }

  all(): HostedSession[] {
    return [...this.sessions.values()]
  }

  /** A session that this machine has, running or not. */
  exists(sessionId: string): boolean {
    if (this.erasures.has(sessionId)) return false
    if (this.sessions.get(sessionId)?.attached != null || this.logs.exists(sessionId)) return true
    // Lost, or being replaced: its next host continues with a new one.
    return (this.index.get(sessionId)?.last ?? 0) > 0
  }

  /** To the session's host, started where none runs. */
  async forward(command: Command, withPlace = false): Promise<CommandAnswer> {
    const hosted = this.hosted(command.sessionId)
    const send = (host: HostClient) => {
      this.records.requireAgreed(command.sessionId)
      hosted.tellPolicy()
      return host.command(command)
    }
    hosted.inHand += 1
    try {
      return await forwardCommand(command, hosted, send, withPlace)
    } finally {
      hosted.inHand -= 1
    }
  }

  /** A different log cannot show that the command never ran. */
  async cancel(sessionId: string, commandId: string): Promise<CommandAnswer> {
    const host = await this.hosted(sessionId).host()
    this.records.requireAgreed(sessionId)
    return host.cancel(commandId)
  }

  /** Gives the session's host a place, or starts one that has it. */
  async begin(sessionId: string): Promise<void> {
    if (!this.exists(sessionId)) return
    const hosted = this.hosted(sessionId)
    hosted.inHand += 1
    try {
      await hosted.host(true)
    } finally {
      hosted.inHand -= 1
    }
  }

  /** Hosts that may start programs. */
  running(): RunningSession[] {
    const placed = this.all().filter((hosted) => hosted.place)
    return placed.map((hosted) => ({
      sessionId: hosted.sessionId,
      starting: hosted.starting || hosted.inHand > 0,
      state: hosted.state,
      retire: () => hosted.stop('idle'),
    }))
  }

  crowd(): CrowdedHost[] {
    return this.all()
      .filter((hosted) => hosted.attached !== null)
      .map((hosted) => ({
        sessionId: hosted.sessionId,
        place: hosted.place,
        busy: hosted.starting || hosted.inHand > 0,
        state: hosted.state,
        leave: () => hosted.stop('idle'),
      }))
  }

  /**
   * RES-6, at the daemon's start: every host that was recorded and did not say goodbye. A log that was lost needs a host
   * too, which closes what nobody knows of any more (REB-1).
   */
  async adoptAll(lost: readonly string[]): Promise<void> {
    await this.adoptions.all(
      [...new Set([...this.recorded(), ...lost])],
      (sessionId, when) => this.hosted(sessionId).adopt(when),
      (sessionId) => this.events.head(sessionId, this.index.get(sessionId)?.last ?? 0),
    )
  }

  isAdopting(sessionId: string): boolean {
    return this.adoptions.isUnderWay(sessionId)
  }

  /** Sessions whose host lives, or died without a goodbye. */
  recorded(): string[] {
    return this.sessionIds().filter((sessionId) => existsSync(sessionFiles(this.logs.folder(sessionId)).host))
  }

  /** A folder that a person made by copying another session's is no session. */
  sessionIds(): string[] {
    const folders = readdirSync(this.logs.sessionsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return folders
      .map(({ name }) => name)
      .filter((name) => Id.safeParse(name).success && !this.erasures.has(name))
      .filter((name) => this.index.get(name) !== undefined || !this.logs.isCopy(name))
  }

  /** Anything of it, running or not, or a memory of it. */
  holds(sessionId: string): boolean {
    return (
      this.sessions.has(sessionId) || this.index.get(sessionId) !== undefined || existsSync(this.logs.folder(sessionId))
    )
  }

  files(sessionId: string): SessionFiles {
    return sessionFiles(this.logs.folder(sessionId))
  }

  /** What a daemon before this one began to erase, and what could not be erased yet. Waits for nothing. */
  goOnErasing(): void {
    for (const sessionId of this.erasures.all()) {
      this.index.remove(sessionId)
      this.hosted(sessionId)
        .erase()
        .catch((error: unknown) => this.events.log(`${sessionId}: is not erased yet: ${String(error)}`))
    }
  }

  policyChanged(): void {
    for (const hosted of this.all()) hosted.tellPolicy()
  }

  /** Ends every host, those that are just starting too; what has not ended in time is ended by the reaper. */
  async endAll(limitMs: number): Promise<void> {
    this.launcher.ending = true
    this.adoptions.stop()
    const ends = await Promise.allSettled(this.all().map((hosted) => this.endWithin(hosted, limitMs)))
    for (const end of ends)
      if (end.status === 'rejected') this.events.log(`a session did not end: ${String(end.reason)}`)
  }

  releaseAll(): void {
    this.launcher.ending = true
    this.adoptions.stop()
    for (const hosted of this.all()) hosted.release()
  }

  private gone(sessionId: string): void {
    this.sessions.delete(sessionId)
    this.records.agreed(sessionId)
    this.events.erased(sessionId)
  }

  private async endWithin(hosted: HostedSession, limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), limitMs)
    })
    const end = await Promise.race([hosted.stop('shutdown'), late])
    clearTimeout(timer)
    // One that holds its session and was not found could not be asked.
    if (end !== 'late' && !hosted.stuck) return
    hosted.release()
    markStopped(this.logs.folder(hosted.sessionId))
    await this.launcher.reap(hosted.sessionId)
  }
}
