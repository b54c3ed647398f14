/** The turn that runs and the prompts that wait, as memory and log have them. Whoever changes them writes the rows. */
import type { TurnEnd } from '@roundhouse/backend-types'
import { type PromptQueue, promptQueue } from '@roundhouse/delivery'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import { queueKey, type Turn, type TurnNote, turnKey } from './turn'

export interface TurnStatePorts {
  journal: Journal
  changed(): void
  /** The command of a turn has come to its end. */
  news(commandId: string, state: 'done' | 'outcome_unknown'): void
}

export class TurnState {
  private turn: Turn | null = null
  private queue: PromptQueue

  constructor(private readonly ports: TurnStatePorts) {
    const saved = ports.journal.log.rows.meta(queueKey)
    this.queue = saved === null ? promptQueue.emptyQueue() : (JSON.parse(saved) as PromptQueue)
  }

  get current(): Turn | null {
    return this.turn
  }

  get waiting(): PromptQueue {
    return this.queue
  }

  /** The turn that its program was given. */
  get handedOver(): Turn | null {
    return this.turn?.phase === 'running' ? this.turn : null
  }

  begin(turn: Turn): void {
    this.turn = turn
  }

  /** Returns the row of the queue for the caller's transaction. The new queue counts at once. */
  replaceQueue(queue: PromptQueue): Pick<LogChange, 'meta'> {
    this.queue = queue
    this.ports.changed()
    return { meta: { [queueKey]: JSON.stringify(queue) } }
  }

  /** A person wants the queue to continue. Said while a turn is ending, it applies to that end too. */
  goOn(queue: PromptQueue): Pick<LogChange, 'meta'> {
    if (this.turn?.interruptAsked || this.turn?.endsWithProgram) this.turn.goesOn = true
    return this.replaceQueue(queue)
  }

  /** Puts back a prompt that the program did not begin with before a person stopped its turn. */
  giveBack(queue: PromptQueue, { goesOn = false }: Turn): Pick<LogChange, 'meta'> {
    return this.replaceQueue({ ...queue, held: !goesOn })
  }

  /** Marks that the turn ends because a person said so. Returns false if that turn is not running. */
  markInterrupt(turnId: string): boolean {
    if (this.turn?.turnId !== turnId) return false
    this.turn.interruptAsked = true
    return true
  }

  /** Returns the turn that ends with the program that is about to be ended. A later turn belongs to the next program. */
  endWithProgram(): Turn | null {
    if (this.turn) this.turn.endsWithProgram = true
    return this.turn
  }

  /** The turn is over; these are the rows that go with the events that tell how. */
  closedBy(reason: TurnEnd): LogChange {
    const turn = this.turn
    if (turn) turn.endedBy = reason
    this.turn = null
    const goesOn = (reason === 'interrupted' || turn?.endsWithProgram === true) && turn?.goesOn === true
    const row = this.replaceQueue(goesOn ? this.queue : promptQueue.turnEnded(this.queue, reason))
    const state = reason === 'outcome_unknown' ? 'outcome_unknown' : 'done'
    if (turn?.commandId !== undefined) this.ports.news(turn.commandId, state)
    return {
      meta: { ...row.meta, [turnKey]: null },
      ...(turn?.commandId === undefined ? {} : { moved: [{ commandId: turn.commandId, state }] }),
    }
  }

  /** The row of the turn: what the next host must know that finds it open. */
  note(handedOver: boolean, startSeq = this.ports.journal.log.lastSeq + 1): { [turnKey]: string } {
    const turn = this.turn
    const note: TurnNote = {
      turnId: turn?.turnId ?? '',
      ...(turn?.commandId === undefined ? {} : { commandId: turn.commandId }),
      handedOver,
      startSeq,
    }
    return { [turnKey]: JSON.stringify(note) }
  }
}
