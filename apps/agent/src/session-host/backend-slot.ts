/**
 * The one place for a running backend of this session (RES-4): started when it is needed, told or started anew when the
 * settings changed, ended on purpose. What it reports goes to `wire`; what it leaves open, others close.
 */
import {
  type BackendAdapter,
  type BackendProcess,
  CodedError,
  resolveSpawnOptions,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import type { ConversationKeeper } from './conversation-keeper'
import type { Guard } from './guard'
import type { HostRecordFile } from './host-record'
import { planStart, type StartPlan } from './identity-plan'
import type { Journal } from './journal'
import type { MemorySource } from './notes'
import { type Applied, changesBetween, type StoredSettings } from './settings'

export interface RunningBackend {
  procId: string
  adapter: BackendAdapter
  process: BackendProcess
  /** It goes on with an earlier conversation. */
  resumed: boolean
  applied: Applied
}

export interface SlotPorts {
  sessionId: string
  journal: Journal
  conversation: ConversationKeeper
  record: HostRecordFile
  guard: Guard
  memory: MemorySource | null
  newId(): string
  adapter(): Promise<BackendAdapter>
  settings(): StoredSettings
  /** Why nothing of this session may start here now; null where it may. */
  forbids(desired: Applied): CodedError | null
  /** Called right after the spawn, before anything else is awaited. */
  wire(running: RunningBackend): void
  changed(): void
}

/** The process whose end is to be told if nobody told it: set from before its spawn until its end is in the log. */
export const processKey = 'process'

export class BackendSlot {
  private current: RunningBackend | null = null
  private pending: Promise<RunningBackend> | null = null
  /** The one before, until it is gone. */
  private leaving: Promise<void> = Promise.resolve()
  /** Text for the system prompt of the next spawn alone. */
  private preamble = ''

  constructor(private readonly ports: SlotPorts) {}

  get running(): RunningBackend | null {
    return this.current
  }

  get isStarting(): boolean {
    return this.pending !== null
  }

  isCurrent(running: RunningBackend): boolean {
    return this.current === running
  }

  /** A running backend with these settings. Rejects with the `CodedError` of a spawn that failed. */
  ensure(desired: Applied, firstInput: string): Promise<RunningBackend> {
    this.pending ??= this.provide(desired, firstInput).finally(() => {
      this.pending = null
      this.ports.changed()
    })
    this.ports.changed()
    return this.pending
  }

  /** Tells a running backend at once what it can be told; the rest waits for the next turn. */
  async configure(desired: Applied): Promise<void> {
    const running = this.current
    if (running) await this.tell(running, desired)
  }

  /** Ends the backend on purpose. */
  async end(): Promise<RunningBackend | null> {
    await this.pending?.catch(() => {})
    const running = this.current
    if (running) this.leave(running)
    await this.leaving
    return running
  }

  /** Its end goes on behind; whoever starts or ends the next one waits for it. */
  private leave(running: RunningBackend): void {
    this.evict(running)
    this.leaving = running.adapter.stop(running.process)
  }

  /** It is gone, or must count as gone. Whoever starts or ends the next one waits until its end is told. */
  evictUntil(running: RunningBackend, told: Promise<void>): void {
    this.evict(running)
    this.leaving = told
  }

  private evict(running: RunningBackend): void {
    if (this.current === running) this.current = null
    this.ports.record.ended(running.procId)
    this.ports.changed()
  }

  /** The next spawn begins a new conversation, which is told this much of the old one (RES-5). */
  async startAfresh(preamble: string): Promise<void> {
    this.preamble = preamble
    await this.ports.journal.write(this.ports.conversation.goOnWith({ state: 'none' }))
  }

  private async provide(desired: Applied, firstInput: string): Promise<RunningBackend> {
    const forbidden = this.ports.forbids(desired)
    if (forbidden) throw forbidden
    const running = this.current
    if (running?.process.isAlive()) {
      if (await this.tell(running, desired)) return running
      this.leave(running)
    }
    await this.leaving
    return this.start(desired, firstInput)
  }

  /** False: it must be started anew to take these settings. */
  private async tell(running: RunningBackend, desired: Applied): Promise<boolean> {
    const { change, restart } = changesBetween(running.applied, desired, running.adapter.capabilities)
    if (Object.keys(change).length === 0) return !restart
    if (!running.adapter.configure) return false
    const untold = await running.adapter.configure(running.process, change)
    const told = Object.entries(change).filter(([key]) => !untold.includes(key as keyof typeof change))
    running.applied = { ...running.applied, ...Object.fromEntries(told) }
    return !restart && untold.length === 0
  }

  private async start(desired: Applied, firstInput: string): Promise<RunningBackend> {
    const adapter = await this.ports.adapter()
    const plan = planStart(this.ports.conversation.current, adapter.mintSessionId?.bind(adapter))
    try {
      return await this.spawn(adapter, plan, desired, firstInput)
    } catch (error) {
      const lost = error instanceof CodedError && error.code === 'RESUME_UNAVAILABLE' && plan.freshIfUnknown
      if (!lost) throw error
      const fresh = planStart({ state: 'none' }, adapter.mintSessionId?.bind(adapter))
      return await this.spawn(adapter, fresh, desired, firstInput)
    }
  }

  private async spawn(
    adapter: BackendAdapter,
    plan: StartPlan,
    desired: Applied,
    firstInput: string,
  ): Promise<RunningBackend> {
    const procId = this.ports.newId()
    // Before the spawn: a host that dies in the middle of it leaves a process that somebody must tell of.
    const { meta } = this.ports.conversation.goOnWith(plan.before)
    await this.ports.journal.write({ meta: { ...meta, [processKey]: procId } })
    this.ports.guard.watch()
    const process = await adapter.spawn(this.optionsFor(plan, desired, firstInput))
    const running = { procId, adapter, process, resumed: plan.resumeId !== undefined, applied: desired }
    this.current = running
    this.preamble = ''
    this.ports.wire(running)
    this.ports.record.started(procId, process.pid)
    return running
  }

  private optionsFor(plan: StartPlan, desired: Applied, firstInput: string): SpawnOptions {
    const { settings, realWorkDir } = this.ports.settings()
    const { backend, systemPrompt, roleId, useBrainCore, workDir: _asked, autoResume: _ours, ...rest } = settings
    const notes = roleId !== undefined && useBrainCore !== false ? this.ports.memory?.recall(roleId, firstInput) : ''
    const prompt = [systemPrompt, notes, this.preamble].filter(Boolean).join('\n\n')
    return resolveSpawnOptions({
      ...rest,
      ...desired,
      sessionId: this.ports.sessionId,
      backend,
      workDir: realWorkDir,
      ...(prompt === '' ? {} : { systemPrompt: prompt }),
      ...(roleId === undefined ? {} : { roleId, initialUserInput: firstInput }),
      ...(plan.resumeId === undefined ? {} : { resumeId: plan.resumeId }),
      ...(plan.newSessionId === undefined ? {} : { newSessionId: plan.newSessionId }),
    })
  }
}
