/**
 * All sessions of this machine and the hosts that run them: one `HostedSession` each, created when first needed. It knows
 * files and processes, not the meaning of commands.
 */

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, type Command, type CommandAnswer, Id } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { removeScratch } from '../../files/scratch-folder'
import type { HostClient } from '../../host-contract/client'
import { doorIn, doorOf } from '../../host-contract/host-door'
import { launchHost } from '../../host-contract/launch'
import { type AckedNews, SESSION_MARK } from '../../host-contract/launch-spec'
import { type SessionFiles, sessionFiles, socketPathFor } from '../../host-contract/paths'
import { markStopped } from '../../host-contract/stopped-mark'
import { isLostHere, RECENT_ANSWERS, rereadLog } from '../logs/reread-log'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import { Adoptions } from './adoptions'
import { Erasures, eraseFolder } from './erasures'
import { forwardCommand } from './forward-command'
import type { CrowdedHost } from './host-crowd'
import { HostStarts } from './host-starts'
import { HostedSession } from './hosted-session'
import type { HostedSessionPorts } from './hosted-session-ports'
import { type HostSurroundings, launchSpec } from './launch-spec-of'
import type { RunningSession } from './running-session'
import type { SupervisorEvents } from './supervisor-events'

export class Supervisor {
  /** The current connection; null while there is none. */
  hubEpoch: string | null = null
  private readonly sessions = new Map<string, HostedSession>()
  private readonly ports: HostedSessionPorts
  private readonly erasures: Erasures
  /** Sessions that somebody looks at. */
  looked: ReadonlySet<string> = new Set()
  private readonly starts = new HostStarts((sessionId) => this.looked.has(sessionId))
  private ending = false
  /** Sessions that continue with a new log, which the hub does not know yet. */
  private readonly unagreed = new Set<string>()
  private readonly adoptions = new Adoptions()

  constructor(
    private readonly around: HostSurroundings,
    private readonly index: SessionIndex,
    private readonly logs: SessionLogs,
    private readonly events: SupervisorEvents,
  ) {
    this.erasures = new Erasures(around.erasingDir)
    this.ports = this.hostedSessionPorts()
  }

  hosted(sessionId: string): HostedSession {
    const known = this.sessions.get(sessionId)
    if (known) return known
    const hosted = new HostedSession(sessionId, this.ports)
    if (this.ending) hosted.release()
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
      this.requireAgreed(command.sessionId)
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
    this.requireAgreed(sessionId)
    return host.cancel(commandId)
  }

  /** The hub has all of this log, or nothing: new work continues undisturbed. */
  agreed(sessionId: string): void {
    this.unagreed.delete(sessionId)
  }

  /**
   * Throws the code that means "later". Another log is moved behind what the hub holds (REB-1), and its host ends for that:
   * what it began before would be cut off.
   */
  requireAgreed(sessionId: string): void {
    if (!this.unagreed.has(sessionId)) return
    throw new CodedError(
      'STORAGE_UNAVAILABLE',
      'The log of this session was replaced. The hub must learn of the new log first.',
    )
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
    this.ending = true
    this.adoptions.stop()
    const ends = await Promise.allSettled(this.all().map((hosted) => this.endWithin(hosted, limitMs)))
    for (const end of ends)
      if (end.status === 'rejected') this.events.log(`a session did not end: ${String(end.reason)}`)
  }

  releaseAll(): void {
    this.ending = true
    this.adoptions.stop()
    for (const hosted of this.all()) hosted.release()
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
    await this.ports.reap(hosted.sessionId)
  }

  private hostedSessionPorts(): HostedSessionPorts {
    const { index, logs, around, events } = this
    return {
      policy: () => around.policy(),
      acked: (sessionId) => this.ackedOf(sessionId),
      door: (sessionId) => doorIn(logs.folder(sessionId), around.socketKey),
      launch: (sessionId, mode) => {
        if (this.ending && mode.mode === 'run') throw new CodedError('AGENT_OFFLINE', 'The agent is stopping.')
        logs.forget(sessionId)
        const place = { sessionId, sessionDir: logs.folder(sessionId) }
        const spec = launchSpec(around, place, mode, index.get(sessionId), this.ackedOf(sessionId))
        const env = { ...around.env(), [SESSION_MARK]: sessionId }
        const { socketKey } = around
        const host = launchHost({ node: process.execPath, hostEntry: around.hostEntry, launch: spec, socketKey, env })
        return { door: doorOf(spec, socketKey), host }
      },
      inStartTurn: (sessionId, work) => this.starts.run(sessionId, work),
      classify: (sessionId, patienceMs) => around.classify(sessionId, logs.folder(sessionId), patienceMs),
      reap: (sessionId) => around.reap(sessionId, logs.folder(sessionId)),
      keepOrphans: () => around.keepOrphans(),
      beginErasing: (sessionId) => this.erasures.begin(sessionId),
      erase: async (sessionId) => {
        logs.erased(sessionId)
        // First, and on the disk: what is remembered and not there counts as lost, and would come back.
        failpoint('agent.erase')
        index.remove(sessionId)
        index.flush()
        failpoint('agent.erase')
        await eraseFolder(logs.folder(sessionId))
        for (const folder of around.sockets.all) rmSync(socketPathFor(folder, sessionId), { force: true })
        removeScratch(join(around.scratchDir(), sessionId))
        failpoint('agent.erase')
        this.erasures.done(sessionId)
        this.sessions.delete(sessionId)
        this.unagreed.delete(sessionId)
        events.erased(sessionId)
      },
      head: (sessionId, logId, head) => {
        this.noticeNewLog(sessionId, logId)
        index.put(sessionId, { logId, last: head, changed: true })
        events.head(sessionId, head)
      },
      noticeMark: (sessionId) => logs.noticeMark(sessionId),
      isBroken: (sessionId) => logs.isBroken(sessionId),
      settled: (sessionId, moved) => {
        logs.settled(sessionId)
        // A rebase may make it shorter; nothing else does.
        if (!moved && isLostHere(index, logs, sessionId)) logs.lostItsEnd(sessionId)
        const said = logs.ask(sessionId, (log) => ({
          logId: log.logId(),
          state: log.lastState(),
          answers: log.recentAnswers(RECENT_ANSWERS),
        }))
        if (!said) return
        this.noticeNewLog(sessionId, said.logId)
        const row = rereadLog(index, logs, sessionId)
        if (row) events.head(sessionId, row.last)
        if (said.state) events.state(said.state)
        // CMD-3: no event reports a command that failed, and the host that settled it had nobody to report it to.
        for (const { commandId, answer } of said.answers)
          if (answer.state === 'refused' || answer.state === 'outcome_unknown')
            events.news(sessionId, commandId, answer)
      },
      closed: (sessionId) => {
        const state = logs.ask(sessionId, (log) => log.lastState())
        if (state) events.closed(index.noted(state))
      },
      state: (state) => events.state(state),
      live: (frames) => events.live(frames),
      news: (sessionId, commandId, answer) => events.news(sessionId, commandId, answer),
      changed: () => events.changed(),
      log: (line) => events.log(line),
    }
  }

  private ackedOf(sessionId: string): AckedNews | null {
    const row = this.index.get(sessionId)
    if (!row || row.logId === '' || row.ackedEpoch === '') return null
    const { logId, acked: upTo, ackedEpoch: epoch } = row
    return { logId, upTo, epoch, present: epoch === this.hubEpoch }
  }

  private noticeNewLog(sessionId: string, logId: string): void {
    const known = this.index.get(sessionId)?.logId ?? ''
    if (known === '' || known === logId) return
    // The open file is the one that was set aside.
    this.logs.forget(sessionId)
    this.unagreed.add(sessionId)
    this.events.newLog(sessionId)
  }
}
