/** The program of a session: one process at a time, started with the options of the session, and again where it has ended. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type BackendAdapter,
  type BackendProcess,
  CodedError,
  type SlashCommand,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import type { SessionPlan } from '../rules/session-plan'
import type { ProgramPlace } from './program-place'
import type { SessionChange } from './queries'

export interface Running {
  procId: string
  adapter: BackendAdapter
  process: BackendProcess
  commands: readonly SlashCommand[]
}

/** How long a program that takes no input may take to end before it is killed. */
const AFTER_DEATH_MS = 5_000

export interface ProgramPorts {
  adapter: BackendAdapter
  place: ProgramPlace
  plan: SessionPlan
  newId(): string
  /** Throws what forbids a start now. */
  requireAllowed(plan: SessionPlan): void
  /** Right after the spawn, before anything else is awaited. */
  wire(running: Running): void
  /** It takes no input any more, and did not end by itself. It is gone now. */
  lost(running: Running): void
}

export class SessionProgram {
  private current: Running | null = null
  private starting: Promise<Running> | null = null
  /** What an ended program left behind is being ended. */
  private leaving: Promise<void> = Promise.resolve()
  private untilExited: Promise<void> = Promise.resolve()
  private sayExited = () => {}
  private conversation: { id: string; isDurable: boolean } | null = null
  private closed = false
  private plan: SessionPlan
  private mcpConfigPath: string | undefined

  constructor(private readonly ports: ProgramPorts) {
    this.plan = ports.plan
  }

  get running(): Running | null {
    return this.current
  }

  /** The program of this session; one that has ended goes on where it was, with the options of the session. */
  ensure(): Promise<Running> {
    if (this.closed) return Promise.reject(new CodedError('SESSION_ENDED'))
    if (this.current?.process.isAlive()) return Promise.resolve(this.current)
    this.starting ??= this.untilLeft()
      .then(() => this.start())
      .finally(() => {
        this.starting = null
      })
    return this.starting
  }

  /** It works on this conversation. */
  conversationIs(id: string): void {
    this.conversation = { id, isDurable: this.conversation?.isDurable === true }
  }

  /** A turn of it is over: from now on it can be continued. */
  conversationLasts(): void {
    if (this.conversation) this.conversation.isDurable = true
  }

  changed(change: SessionChange): void {
    this.plan = { ...this.plan, settings: withValues(this.plan.settings, { ...change }) }
  }

  /** Its successor carries the same mark, so nothing may start before all of it is gone. */
  private async untilLeft(): Promise<void> {
    const last = this.current
    if (last) {
      const patience = new AbortController()
      const limit = delay(AFTER_DEATH_MS, undefined, { signal: patience.signal }).catch(() => {})
      await Promise.race([this.untilExited, limit])
      patience.abort()
      if (this.current === last) {
        await last.adapter.stop(last.process).catch(() => {})
        this.ports.lost(last)
      }
    }
    await this.leaving
  }

  /** It ended by itself. Resolves when nothing of it is left. */
  async exited(running: Running): Promise<void> {
    if (this.current === running) this.current = null
    this.ports.place.ended(running.procId)
    this.leaving = this.ports.place.endPrograms()
    this.sayExited()
    await this.leaving
  }

  /** For good. A start that is under way ends too. */
  async close(): Promise<void> {
    this.closed = true
    const { place } = this.ports
    const { starting } = this
    if (starting) await place.endPrograms()
    await starting?.catch(() => {})
    const running = this.current
    this.current = null
    if (running) await running.adapter.stop(running.process).catch(() => {})
    await this.leaving
    await place.endPrograms()
    place.leave()
  }

  private async start(): Promise<Running> {
    const { adapter, place, newId } = this.ports
    this.ports.requireAllowed(this.plan)
    place.watch()
    const procId = newId()
    const process = await this.spawn()
    const running: Running = { procId, adapter, process, commands: [] }
    if (this.closed) {
      await adapter.stop(process).catch(() => {})
      throw new CodedError('SESSION_ENDED')
    }
    this.current = running
    this.untilExited = new Promise((resolve) => {
      this.sayExited = resolve
    })
    this.ports.wire(running)
    place.started(procId, process.pid)
    return running
  }

  /** A conversation that no turn has made lasting may be unknown to the program: then it begins anew. */
  private async spawn(): Promise<BackendProcess> {
    const { adapter } = this.ports
    const { conversation } = this
    if (conversation) {
      try {
        return await adapter.spawn({ ...this.options(), resumeId: conversation.id })
      } catch (error) {
        const isUnknown = error instanceof CodedError && error.code === 'RESUME_UNAVAILABLE'
        if (!isUnknown || conversation.isDurable) throw error
      }
    }
    const newSessionId = adapter.mintSessionId?.()
    return adapter.spawn({ ...this.options(), ...(newSessionId === undefined ? {} : { newSessionId }) })
  }

  private options(): SpawnOptions {
    const { settings, providerConfig, mcpServers } = this.plan
    if (mcpServers) this.mcpConfigPath ??= this.ports.place.write('mcp.json', JSON.stringify({ mcpServers }))
    const { autoResume: _ours, ...rest } = settings
    return {
      ...rest,
      sessionId: this.ports.place.sessionId,
      ...(this.mcpConfigPath === undefined ? {} : { mcpConfigPath: this.mcpConfigPath }),
      ...(Object.keys(providerConfig).length === 0 ? {} : { providerConfig }),
    }
  }
}

/** Without those that are undefined. */
const withValues = <T extends object>(all: T, values: { [name: string]: unknown }): T =>
  Object.fromEntries(Object.entries({ ...all, ...values }).filter(([, value]) => value !== undefined)) as T
