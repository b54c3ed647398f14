/** Actions of a person on the whole session: resume it, stop its program, end it. */
import { randomUUID } from 'node:crypto'
import { type CodedError, type Command, type SessionEvent, toCodedError } from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { Grants } from '../permissions/grants'
import type { ProgramRunner } from '../program/program-runner'
import { type Applied, desiredOf } from '../settings/settings'
import type { SettingsKeeper } from '../settings/settings-keeper'
import type { WishKeeper } from '../settings/wish-keeper'
import { noProcess } from '../turns/close-process'
import type { ProcessEnds } from '../turns/process-ends'
import { summaryOf } from '../turns/summary'
import type { Turn } from '../turns/turn'
import type { TurnState } from '../turns/turn-state'
import { Resumer } from './resumer'

export interface LifePorts {
  journal: Journal
  runner: ProgramRunner
  turns: TurnState
  ends: ProcessEnds
  grants: Grants
  settings: SettingsKeeper
  wish: WishKeeper
  forbids(desired: Applied): CodedError | null
  isClosing(): boolean
  hasPlace(): boolean
  now(): number
  shutDown(why: 'shutdown'): void
  changed(): void
}

export class SessionLife {
  private readonly resumer: Resumer

  constructor(private readonly ports: LifePorts) {
    this.resumer = new Resumer({
      wish: () => ports.wish.current,
      hasPlace: ports.hasPlace,
      now: ports.now,
      resume: () => this.resumeByItself(),
    })
  }

  /** `fresh` starts a new conversation, which receives a summary of the old one (RES-5). */
  async resume(fresh: boolean): Promise<void> {
    if (this.ports.turns.current) return
    if (fresh) await this.startAfresh()
    await this.start(() => ({}))
  }

  /** `failed` returns the change to write if the start fails. */
  private async start(failed: () => LogChange): Promise<void> {
    const { runner, ends } = this.ports
    try {
      await runner.ensure(this.desired(), '')
    } catch (error) {
      ends.startFailed(randomUUID(), toCodedError(error), failed())
      throw error
    }
  }

  /** `turn` is the turn that ends with the program. Later prompts wait for the next program. */
  async endProcess(turn?: Turn | null): Promise<void> {
    this.write(this.stopped())
    await this.ports.ends.end('ended_by_person', turn)
  }

  /** RES-3: the change that records that a person stopped the session. For the caller's transaction. */
  stopped(): LogChange {
    return this.ports.wish.after('stopped')
  }

  /** The change that records a new choice for the session. For the caller's transaction. */
  choiceChanged(): LogChange {
    return this.ports.settings.current?.settings.autoResume ? {} : this.ports.wish.after('unwanted')
  }

  async stopSession({ author, commandId }: Command): Promise<void> {
    const { ends, grants, journal, changed, shutDown } = this.ports
    this.write(this.stopped())
    await ends.end('ended_by_person')
    grants.endAll('session_ended')
    await journal.record([{ kind: 'session_ended', why: 'stopped', author, commandId }])
    changed()
    setImmediate(() => shutDown('shutdown'))
  }

  turnCompleted(): void {
    this.write(this.ports.wish.after('turn_completed'))
  }

  /** Looks again at whether the session should resume by itself, and whether this host may start its program. */
  lookAtWish(): void {
    this.resumer.look()
  }

  dispose(): void {
    this.resumer.dispose()
  }

  private desired(): Applied {
    return desiredOf(this.ports.settings.require().settings)
  }

  private async startAfresh(): Promise<void> {
    const { journal, runner, ends } = this.ports
    const summary = summaryOf(journal.log)
    await ends.end('idle')
    await runner.startAfresh(summary)
    const note: SessionEvent = { kind: 'system', subtype: 'started_afresh', data: { summaryChars: summary.length } }
    await journal.record([note], noProcess)
  }

  private resumeByItself(): boolean {
    const { runner, turns, journal, ends, isClosing, forbids, wish } = this.ports
    if (isClosing() || journal.projection.ended) return true
    if (turns.current || runner.running || runner.isStarting) return false
    const forbidden = forbids(this.desired())
    if (forbidden) {
      this.write(wish.after('unwanted'))
      void ends.forbidden(randomUUID(), forbidden)
      return true
    }
    this.write(wish.after('begun'))
    this.start(() => wish.after('died')).catch(() => {})
    return true
  }

  /** The log itself reports a disk that refuses. */
  private write(change: LogChange): void {
    if (change.meta) void this.ports.journal.write(change).catch(() => {})
  }
}
