/**
 * All sessions of this machine and the hosts that run them: one slot each, made when first needed. It knows files and
 * processes; what a command means is decided elsewhere.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, CommandAnswer, HostState, LiveFrame } from '@roundhouse/backend-types'
import { removeScratch } from '../files/scratch-folder'
import type { HostClient } from '../host-contract/client'
import { doorIn, doorOf } from '../host-contract/host-door'
import { launchHost } from '../host-contract/launch'
import {
  type AckedNews,
  type HostLimits,
  type HostPolicy,
  type LaunchSpec,
  SESSION_MARK,
} from '../host-contract/launch-spec'
import { sessionFiles, socketPathFor } from '../host-contract/paths'
import { classify } from '../processes/classify'
import { rereadLog } from './reread-log'
import type { RunningSession } from './running-limit'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'
import { type LaunchMode, SessionSlot, type SlotPorts } from './session-slot'

/** Everything of the launch file that is the same for all sessions at this moment. */
export interface HostSurroundings {
  hostEntry: string
  reaperEntry: string
  playerPath: string
  runtimeDir: string
  digestKeyPath: string
  verbsLog: string
  idleMs: number
  /** From which the secrets of the host sockets come. */
  socketKey: Buffer
  /** For the temporary files of all sessions. */
  scratchDir(): string
  /** What programs inherit. */
  env(): Record<string, string>
  policy(): HostPolicy
  limits(): HostLimits
  backends(): LaunchSpec['backends']
  keepOrphans(): boolean
  reap(sessionId: string, sessionDir: string): Promise<void>
}

export interface SupervisorEvents {
  head(sessionId: string, head: number): void
  /** The log of this session was lost, and goes on as another one. */
  newLog(sessionId: string): void
  state(state: HostState): void
  /** A host that died was closed, and left its session in this state. */
  closed(state: HostState): void
  live(frames: LiveFrame[]): void
  news(sessionId: string, commandId: string, answer: CommandAnswer): void
  changed(): void
  log(line: string): void
}

/** Sessions looked at in parallel when the daemon starts. */
const ADOPT_AT_ONCE = 4

export class Supervisor {
  /** Of the connection that stands; null while there is none. */
  hubEpoch: string | null = null
  private readonly slots = new Map<string, SessionSlot>()
  private readonly ports: SlotPorts

  constructor(
    private readonly around: HostSurroundings,
    private readonly index: SessionIndex,
    private readonly logs: SessionLogs,
    private readonly events: SupervisorEvents,
  ) {
    this.ports = this.slotPorts()
  }

  slot(sessionId: string): SessionSlot {
    const known = this.slots.get(sessionId)
    if (known) return known
    const slot = new SessionSlot(sessionId, this.ports)
    this.slots.set(sessionId, slot)
    return slot
  }

  all(): SessionSlot[] {
    return [...this.slots.values()]
  }

  /** A session that this machine has, running or not. */
  exists(sessionId: string): boolean {
    return this.slots.get(sessionId)?.attached != null || this.logs.exists(sessionId)
  }

  /**
   * To the session's host, started where none runs. A host that is just leaving is not an answer: the next one gets the
   * command, and finds it in the inbox if the first had taken it.
   */
  async forward(command: Command): Promise<CommandAnswer> {
    const slot = this.slot(command.sessionId)
    const send = (host: HostClient) => {
      slot.tellPolicy()
      return host.command(command)
    }
    const first = await slot.host()
    try {
      return await send(first)
    } catch (error) {
      if (slot.attached === first) throw error
      return send(await slot.host())
    }
  }

  running(): RunningSession[] {
    return this.all().map((slot) => ({
      sessionId: slot.sessionId,
      starting: slot.starting,
      state: slot.state,
      retire: () => slot.stop('idle'),
    }))
  }

  /**
   * RES-6, at the daemon's start: every host that was recorded and did not say goodbye. A log that was lost needs a host
   * too, which closes what nobody knows of any more (REB-1).
   */
  async adoptAll(lost: readonly string[]): Promise<void> {
    const left = [...new Set([...this.recorded(), ...lost])]
    const workers = Array.from({ length: ADOPT_AT_ONCE }, async () => {
      for (let sessionId = left.pop(); sessionId !== undefined; sessionId = left.pop()) {
        await this.slot(sessionId).adopt()
      }
    })
    await Promise.all(workers)
  }

  /** Sessions whose host lives, or died without a goodbye. */
  recorded(): string[] {
    return this.sessionIds().filter((sessionId) => existsSync(sessionFiles(this.logs.folder(sessionId)).host))
  }

  sessionIds(): string[] {
    return readdirSync(this.logs.sessionsDir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    )
  }

  policyChanged(): void {
    for (const slot of this.all()) slot.tellPolicy()
  }

  /** Ends every host, those that are just starting too; what has not ended in time is ended by the reaper. */
  async endAll(limitMs: number): Promise<void> {
    await Promise.all(this.all().map((slot) => this.endWithin(slot, limitMs)))
  }

  releaseAll(): void {
    for (const slot of this.all()) slot.release()
  }

  private async endWithin(slot: SessionSlot, limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), limitMs)
    })
    const end = await Promise.race([slot.stop('shutdown'), late])
    clearTimeout(timer)
    if (end !== 'late') return
    slot.release()
    await this.ports.reap(slot.sessionId)
  }

  private slotPorts(): SlotPorts {
    const { index, logs, around, events } = this
    return {
      policy: () => around.policy(),
      acked: (sessionId) => this.ackedOf(sessionId),
      door: (sessionId) => doorIn(logs.folder(sessionId), around.socketKey),
      launch: (sessionId, mode) => {
        logs.forget(sessionId)
        const spec = this.launchSpec(sessionId, mode)
        const env = { ...around.env(), [SESSION_MARK]: sessionId }
        const { socketKey } = around
        const host = launchHost({ node: process.execPath, hostEntry: around.hostEntry, launch: spec, socketKey, env })
        return { door: doorOf(spec, socketKey), host }
      },
      classify: (sessionId) => classify(logs.folder(sessionId), around.socketKey),
      reap: (sessionId) => around.reap(sessionId, logs.folder(sessionId)),
      keepOrphans: () => around.keepOrphans(),
      erase: (sessionId) => {
        logs.forget(sessionId)
        // First, and on the disk: what is remembered and not there counts as lost, and would come back.
        index.remove(sessionId)
        index.flush()
        rmSync(logs.folder(sessionId), { recursive: true, force: true })
        removeScratch(join(around.scratchDir(), sessionId))
        this.slots.delete(sessionId)
      },
      head: (sessionId, logId, head) => {
        this.noticeNewLog(sessionId, logId)
        index.put(sessionId, { logId, last: head, changed: true })
        events.head(sessionId, head)
      },
      settled: (sessionId) => {
        logs.forget(sessionId)
        const reader = logs.reader(sessionId)
        if (!reader) return
        this.noticeNewLog(sessionId, reader.logId())
        const { last } = rereadLog(index, logs, sessionId, reader)
        events.head(sessionId, last)
        const state = reader.lastState()
        if (state) events.state(state)
      },
      closed: (sessionId) => {
        const state = logs.reader(sessionId)?.lastState()
        if (state) events.closed(state)
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
    if (known !== '' && known !== logId) this.events.newLog(sessionId)
  }

  private launchSpec(sessionId: string, mode: LaunchMode): LaunchSpec & { launchId: string } {
    const { around } = this
    const row = this.index.get(sessionId)
    const acked = this.ackedOf(sessionId)
    return {
      version: 1,
      sessionId,
      sessionDir: this.logs.folder(sessionId),
      socketPath: socketPathFor(around.runtimeDir, sessionId),
      launchId: randomBytes(8).toString('hex'),
      limits: around.limits(),
      ...mode,
      ...(row && row.logId !== '' ? { known: { logId: row.logId, last: row.last } } : {}),
      ...(acked ? { acked } : {}),
      idleMs: around.idleMs,
      policy: around.policy(),
      backends: around.backends(),
      playerPath: around.playerPath,
      digestKeyPath: around.digestKeyPath,
      scratchDir: join(around.scratchDir(), sessionId),
      verbsLog: around.verbsLog,
      reaperEntry: around.reaperEntry,
    }
  }
}
