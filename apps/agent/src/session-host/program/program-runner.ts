/**
 * Holds the one running backend of this session (RES-4): starts it when needed, applies changed settings or restarts it
 * for them, and ends it on purpose. Its reports go to `wire`; other parts close what it leaves open.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type BackendAdapter,
  type BackendProcess,
  type Capabilities,
  CodedError,
  resolveSpawnOptions,
  roleNotesSubtype,
  type SpawnOptions,
  toCodedError,
  unsupportedSpawn,
} from '@roundhouse/backend-types'
import type { Guard } from '../../processes/guard'
import type { HostRecordFile } from '../../processes/host-record'
import type { Journal } from '../journal/journal'
import type { ConversationKeeper } from '../settings/conversation-keeper'
import { planStart, type StartPlan } from '../settings/identity-plan'
import type { MemorySource, Recalled } from '../settings/notes'
import { type Applied, changesBetween } from '../settings/settings'
import type { SettingsKeeper } from '../settings/settings-keeper'
import type { WishKeeper } from '../settings/wish-keeper'
import { factsOf } from './refuse-command'

export interface RunningBackend {
  procId: string
  adapter: BackendAdapter
  process: BackendProcess
  resumed: boolean
  applied: Applied
  /** Aborted when it stops being this session's program. What it has not answered by then, it never will. */
  gone: AbortController
  /** The conversation continued elsewhere (RES-9), so the next turn needs a program that knows of that. */
  isBehind?: boolean
}

export interface RunnerPorts {
  sessionId: string
  journal: Journal
  conversation: ConversationKeeper
  wish: Pick<WishKeeper, 'after'>
  record: HostRecordFile
  guard: Guard
  memory: MemorySource
  /** What programs get of ours: the way to their host. */
  own(capabilities: Capabilities): Pick<SpawnOptions, 'env' | 'mcpServers'>
  newId(): string
  adapter(): Promise<BackendAdapter>
  settings: Pick<SettingsKeeper, 'require' | 'accepted' | 'refused'>
  /** Why nothing of this session may start here now, or null. */
  forbids(desired: Applied): CodedError | null
  /** A program makes room for another. What it ran beside its turns ends with it. */
  left(procId: string): void
  /** Called right after the spawn, before anything else is awaited. */
  wire(running: RunningBackend): void
  changed(): void
}

/** How long a process that takes no input may take to end before it is killed. */
const AFTER_DEATH_MS = 5_000

/** The process whose end must be reported if nobody reported it. Set from before its spawn until its end is in the log. */
export const processKey = 'process'

export class ProgramRunner {
  private current: RunningBackend | null = null
  private pending: Promise<RunningBackend> | null = null
  /** The settings that the pending start is for. */
  private pendingFor: Applied | null = null
  private waitsFor: string | null = null
  /** Resolves when the previous program is gone and its end is reported. */
  private leaving: Promise<void> = Promise.resolve()
  private ending: RunningBackend | null = null
  private evicted = () => {}
  private untilEvicted: Promise<void> = Promise.resolve()
  /** Text for the system prompt of the next spawn only. */
  private preamble = ''

  constructor(private readonly ports: RunnerPorts) {}

  get running(): RunningBackend | null {
    return this.current
  }

  get isStarting(): boolean {
    return this.pending !== null
  }

  /** What the start of the program waits for, in sentences (`AdapterContext.startWaits`). */
  get startWaitsFor(): string | null {
    return this.waitsFor
  }

  startWaits(why: string | null): void {
    this.waitsFor = why
    this.ports.changed()
  }

  isCurrent(running: RunningBackend): boolean {
    return this.current === running
  }

  /** The program that was told to end and may still print. */
  get endingNow(): RunningBackend | null {
    return this.ending
  }

  /** True if the program can take a prompt. The system knows of its death before its adapter does. */
  takesPrompts(running: RunningBackend): boolean {
    return this.current === running && running.process.isAlive() && !this.ports.record.isGone(running.procId)
  }

  /** Returns a running backend with these settings. Rejects with the `CodedError` of a failed spawn. */
  async ensure(desired: Applied, firstInput: string): Promise<RunningBackend> {
    // A start that is under way may be for other settings.
    while (this.pending && !isDeepStrictEqual(this.pendingFor, desired)) await this.pending.catch(() => {})
    this.pendingFor = desired
    this.pending ??= this.taken(desired, this.provide(desired, firstInput)).finally(() => {
      this.pending = null
      this.waitsFor = null
      this.ports.changed()
    })
    this.ports.changed()
    return this.pending
  }

  /** Applies what a running backend can change at once. The rest waits for the next turn. */
  async configure(desired: Applied): Promise<void> {
    const running = this.current
    if (running) await this.taken(desired, this.tell(running, desired))
  }

  /** CAP-4: a program may refuse settings that nobody else could judge. */
  private async taken<T>(desired: Applied, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.ports.settings.refused(desired, toCodedError(error))
      throw error
    }
  }

  /** The conversation continued elsewhere. */
  fallBehind(): void {
    if (this.current) this.current.isBehind = true
  }

  /** Ends the backend on purpose. Unless the backend is starting, nobody can get it once this returns. `tell` records its end. */
  async end(tell: (ended: RunningBackend) => Promise<void>): Promise<void> {
    while (this.pending) await this.pending.catch(() => {})
    if (this.current) {
      this.ending = this.current
      this.leave(this.current, (ended) => {
        this.ending = null
        return tell(ended)
      })
    }
    await this.leaving
  }

  /** Its end continues in the background. The next start or end waits for it. */
  private leave(running: RunningBackend, tell: (ended: RunningBackend) => Promise<void> = async () => {}): void {
    this.evict(running)
    this.leaving = running.adapter.stop(running.process).then(() => tell(running))
  }

  /** The program is gone or counts as gone. The next start or end waits until its end is reported. */
  evictUntil(running: RunningBackend, told: Promise<void>): void {
    this.evict(running)
    this.leaving = told
  }

  private evict(running: RunningBackend): void {
    running.gone.abort()
    if (this.current === running) {
      this.current = null
      this.evicted()
    }
    this.ports.record.ended(running.procId)
    this.ports.changed()
  }

  /** The next spawn starts a new conversation with this much of the old one (RES-5). */
  async startAfresh(preamble: string): Promise<void> {
    this.preamble = preamble
    await this.ports.journal.write(this.ports.conversation.goOnWith({ state: 'none' }))
  }

  private async provide(desired: Applied, firstInput: string): Promise<RunningBackend> {
    const forbidden = this.ports.forbids(desired)
    if (forbidden) throw forbidden
    if (this.current && !this.takesPrompts(this.current)) await this.untilItsEndIsHeard(this.current)
    const running = this.current
    if (running) {
      if (!running.isBehind && (await this.tell(running, desired))) return running
      if (this.current === running) this.replace(running)
    }
    await this.leaving
    return this.start(desired, firstInput)
  }

  /** The program exited by itself, and its last output may still arrive. A program that only takes no more input is killed. */
  private async untilItsEndIsHeard(running: RunningBackend): Promise<void> {
    const patience = new AbortController()
    const limit = delay(AFTER_DEATH_MS, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.race([this.untilEvicted, limit])
    patience.abort()
    if (this.current === running) this.replace(running)
  }

  /** Nobody else reports its end, so this closes what it leaves open. */
  private replace(running: RunningBackend): void {
    this.leave(running)
    this.ports.left(running.procId)
  }

  /** False if the program must restart to take these settings. */
  private async tell(running: RunningBackend, desired: Applied): Promise<boolean> {
    const { change, restart } = changesBetween(running.applied, desired, running.adapter.capabilities)
    if (Object.keys(change).length === 0) return !restart
    if (!running.adapter.configure) return false
    const untold = await running.adapter.configure(running.process, change)
    const told = Object.entries(change).filter(([key]) => !untold.includes(key as keyof typeof change))
    running.applied = { ...running.applied, ...Object.fromEntries(told) }
    this.ports.settings.accepted(running.applied)
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
    const recalled = this.recall(firstInput)
    const options = this.withOwn(this.optionsFor(plan, desired, firstInput, recalled?.text ?? ''), adapter)
    const refusal = unsupportedSpawn(factsOf(adapter), options)
    if (refusal) throw refusal
    const procId = this.ports.newId()
    // Written before the spawn: if the host dies during it, the next host must report the process.
    const { meta } = this.ports.conversation.goOnWith(plan.before)
    const wish = this.ports.wish.after('spawned')
    await this.ports.journal.write({ meta: { ...meta, ...wish.meta, [processKey]: procId } })
    this.ports.guard.watch()
    const process = await adapter.spawn(options)
    const resumed = plan.resumeId !== undefined
    const running = { procId, adapter, process, resumed, applied: desired, gone: new AbortController() }
    this.current = running
    this.untilEvicted = new Promise((resolve) => {
      this.evicted = resolve
    })
    this.preamble = ''
    this.ports.wire(running)
    this.ports.record.started(procId, process.pid)
    this.ports.settings.accepted(desired)
    if (recalled) {
      const told = { kind: 'system', procId, subtype: roleNotesSubtype, data: recalled.told } as const
      void this.ports.journal.record([told])
    }
    return running
  }

  private withOwn(options: SpawnOptions, { capabilities }: BackendAdapter): SpawnOptions {
    const { env, mcpServers } = this.ports.own(capabilities)
    return {
      ...options,
      ...(env ? { env: { ...options.env, ...env } } : {}),
      ...(mcpServers ? { mcpServers } : {}),
    }
  }

  /** The notes of the session's role (POL-6). */
  private recall(firstInput: string): Recalled | null {
    const { roleId, useBrainCore } = this.ports.settings.require().settings
    return roleId === undefined || useBrainCore === false ? null : this.ports.memory.recall(roleId, firstInput)
  }

  private optionsFor(plan: StartPlan, desired: Applied, firstInput: string, notes: string): SpawnOptions {
    const { settings, realWorkDir } = this.ports.settings.require()
    const { backend, systemPrompt, roleId, workDir: _asked, autoResume: _ours, useBrainCore: _read, ...all } = settings
    // No hub may set it, and what is stored came from one.
    const {
      providerConfig: _never,
      mcpServers: _ownOnly,
      ...rest
    } = all as typeof all & {
      providerConfig?: unknown
      mcpServers?: unknown
    }
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
