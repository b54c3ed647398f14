/** What a person does with the session as a whole: go on with it, stop its program, end it. */
import { randomUUID } from 'node:crypto'
import { type CodedError, type Command, type SessionEvent, toCodedError } from '@roundhouse/backend-types'
import type { BackendSlot } from './backend-slot'
import { noProcess } from './close-process'
import type { Grants } from './grants'
import type { Journal } from './journal'
import type { ProcessEnds } from './process-ends'
import { Resumer } from './resumer'
import { type Applied, desiredOf } from './settings'
import type { SettingsKeeper } from './settings-keeper'
import { summaryOf } from './summary'
import type { Turn, TurnRunner } from './turn-runner'

export interface LifePorts {
  journal: Journal
  slot: BackendSlot
  turns: TurnRunner
  ends: ProcessEnds
  grants: Grants
  settings: SettingsKeeper
  forbids(desired: Applied): CodedError | null
  isClosing(): boolean
  shutDown(why: 'shutdown' | 'deleted'): void
  changed(): void
}

export class SessionLife {
  private readonly resumer = new Resumer(() => this.resumeByItself())

  constructor(private readonly ports: LifePorts) {}

  /** `fresh`: in a new conversation that is told what was said (RES-5). */
  async resume(fresh: boolean): Promise<void> {
    const { turns, slot, ends } = this.ports
    if (turns.current) return
    if (fresh) await this.startAfresh()
    try {
      await slot.ensure(this.desired(), '')
    } catch (error) {
      ends.startFailed(randomUUID(), toCodedError(error))
      throw error
    }
  }

  /** `turn`: the one that ends with it; a prompt that comes now is for the next program. */
  async endProcess(turn?: Turn | null): Promise<void> {
    this.resumer.dispose()
    await this.ports.ends.end('ended_by_person', turn)
  }

  async stopSession({ author, commandId }: Command): Promise<void> {
    const { ends, grants, journal, changed, shutDown } = this.ports
    await ends.end('ended_by_person')
    grants.endAll('session_ended')
    await journal.record([{ kind: 'session_ended', why: 'stopped', author, commandId }])
    changed()
    setImmediate(() => shutDown('shutdown'))
  }

  async deleteSession(): Promise<void> {
    setImmediate(() => this.ports.shutDown('deleted'))
  }

  /** The program went by itself. */
  crashed(): void {
    if (this.ports.settings.current?.settings.autoResume) this.resumer.later()
  }

  turnCompleted(): void {
    this.resumer.reset()
  }

  dispose(): void {
    this.resumer.dispose()
  }

  private desired(): Applied {
    return desiredOf(this.ports.settings.require().settings)
  }

  private async startAfresh(): Promise<void> {
    const { journal, slot, ends } = this.ports
    const summary = summaryOf(journal.log)
    await ends.end('idle')
    await slot.startAfresh(summary)
    const note: SessionEvent = { kind: 'system', subtype: 'started_afresh', data: { summaryChars: summary.length } }
    await journal.record([note], noProcess)
  }

  /** True: it runs, or trying again is of no use. */
  private async resumeByItself(): Promise<boolean> {
    const { slot, journal, ends, isClosing, forbids } = this.ports
    if (isClosing() || slot.running || journal.projection.ended) return true
    const forbidden = forbids(this.desired())
    if (forbidden) {
      void ends.forbidden(randomUUID(), forbidden)
      return true
    }
    return this.resume(false).then(
      () => true,
      () => false,
    )
  }
}
