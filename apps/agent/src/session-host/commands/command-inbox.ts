/**
 * Receives commands (CMD-2..5): judges each one, writes it to disk, replies, and then carries it out at most once. The
 * result of an accepted command is sent as news and kept in its inbox row.
 *
 * A command that only changes the log file is `done` in the transaction that accepts it.
 */
import {
  type CodedError,
  Command,
  type CommandAnswer,
  commandsOnFullDisk,
  type DiskTrouble,
  toCodedError,
} from '@roundhouse/backend-types'
import { receiveCancel, receiveCommand, startCommand } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { diskError, diskTroubleOf, isLocked, lockedLog, unreadableLog } from '../../files/disk-trouble'
import type { InboxState } from '../../log/rows'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { OutputHold } from '../output/output-hold'
import { mergeChanges } from '../turns/close-process'
import type { TurnRunner } from '../turns/turn-runner'
import type { TurnState } from '../turns/turn-state'
import type { Accepted } from './accepted'
import type { CommandMeaning } from './command-meaning'
import type { CommandResults } from './command-results'
import type { SessionLife } from './session-life'

export interface CommandPorts {
  journal: Journal
  meaning: CommandMeaning
  results: CommandResults
  turns: Pick<TurnState, 'current' | 'waiting'>
  runner: Pick<TurnRunner, 'advance'>
  life: Pick<SessionLife, 'endProcess'>
  /** `disk`: how the disk refuses what the log has to write (FLOW-2). */
  hold: Pick<OutputHold, 'disk'>
  /** What the program may not or cannot do, without starting it. Null at once where it has no say. */
  refuse(command: Command): Promise<CodedError | null> | null
  /** Ends this process where the log is why; otherwise what to say of it. */
  surprised(error: unknown): unknown
  now(): number
}

export class CommandInbox {
  private readonly carriedOut = new Set<Promise<void>>()
  private readonly inHand = new Map<string, Promise<CommandAnswer>>()

  constructor(private readonly ports: CommandPorts) {}

  /** Resolves when no command is being carried out. */
  async settled(): Promise<void> {
    while (this.carriedOut.size > 0) await Promise.allSettled([...this.carriedOut])
  }

  receive(command: Command): Promise<CommandAnswer> {
    return this.inHandOr(command.commandId, () => this.take(command))
  }

  cancel(commandId: string): Promise<CommandAnswer> {
    return this.inHandOr(commandId, () => this.callBack(commandId))
  }

  /** A repeated request that arrives before the row is on disk shares the first reply. */
  private inHandOr(commandId: string, work: () => Promise<CommandAnswer>): Promise<CommandAnswer> {
    const known = this.inHand.get(commandId)
    if (known) return known
    const answer = work().finally(() => this.inHand.delete(commandId))
    this.inHand.set(commandId, answer)
    return answer
  }

  private async take(command: Command): Promise<CommandAnswer> {
    const { commandId } = command
    const isAway = this.ports.journal.log.place.requireKept() === 'away'
    const known = receiveCommand(this.row(commandId))
    if (known.kind === 'repeat') return known.answer
    if (isAway && !commandsOnFullDisk.has(command.body.kind))
      return { state: 'refused', error: unreadableLog().toBody() }
    // If there is room again, no command has to be refused, and a stop need not be cut short.
    if (this.ports.hold.disk) this.ports.journal.log.retryNow()
    const trouble = this.ports.hold.disk
    // Records nothing, so that the same command may come again when there is room.
    if (trouble && !commandsOnFullDisk.has(command.body.kind))
      return this.untaken(trouble, this.ports.journal.log.refusal)
    if (trouble) this.endAtOnce(command)
    if (command.body.kind === 'permission.decide') return this.takeDecision(command)
    let accepted: Accepted
    try {
      const asked = this.ports.refuse(command)
      const refusal = asked && (await asked)
      if (refusal) throw refusal
      accepted = this.ports.meaning.of(command)
    } catch (error) {
      return this.refuse(command, this.coded(error))
    }
    const { events = [], change = {}, state = accepted.run ? 'accepted' : 'done', run } = accepted
    await this.ports.journal.record(events, mergeChanges(this.received(command, state), change))
    failpoint('agent.command.accepted')
    if (run) this.carryOut(commandId, run)
    else if (state === 'done') void this.ports.results.news(commandId, { state: 'done' })
    this.ports.runner.advance()
    return { state: 'accepted' }
  }

  /** Stops the program at once, even on a full disk. The log records who asked as soon as there is room. */
  private endAtOnce({ body }: Command): void {
    const { turns, life } = this.ports
    if (body.kind === 'turn.interrupt' && turns.current?.turnId !== body.turnId) return
    void life.endProcess().catch(() => {})
  }

  /** Stores the decision or refuses it: nobody hears that a decision counts before it is on disk. */
  private takeDecision(command: Command): CommandAnswer | Promise<CommandAnswer> {
    try {
      const { run } = this.ports.meaning.of(command)
      this.ports.journal.log.writeNow(this.received(command, 'accepted'))
      if (run) this.carryOut(command.commandId, run)
      return { state: 'accepted' }
    } catch (error) {
      const trouble = diskTroubleOf(error) ?? (isLocked(error) ? 'failing' : null)
      return trouble ? this.untaken(trouble, error) : this.refuse(command, this.coded(error))
    }
  }

  /** Refuses a command without recording it. Throws while the file is locked, which passes: the hub then repeats the command. */
  private untaken(trouble: DiskTrouble, cause: unknown): CommandAnswer {
    if (isLocked(cause)) throw lockedLog(cause)
    return { state: 'refused', error: diskError(trouble, cause).toBody() }
  }

  private async callBack(commandId: string): Promise<CommandAnswer> {
    this.ports.journal.log.place.requireKept()
    const known = receiveCancel(this.row(commandId))
    if (known.kind === 'repeat') return known.answer
    const at = this.ports.now()
    await this.ports.journal.write({
      received: [{ commandId, cmdSeq: null, kind: 'cancelled', body: 'null', state: 'cancelled', answer: null, at }],
    })
    return { state: 'cancelled' }
  }

  /** Carries out commands that an earlier host accepted and never began. Prompts wait in the queue already. */
  runLeftOvers(): void {
    for (const row of this.ports.journal.log.rows.unfinishedCommands()) {
      const command = Command.parse(JSON.parse(row.body))
      if (!startCommand({ commandId: row.commandId, state: row.state }) || this.waitsAsPrompt(command)) continue
      try {
        const { run } = this.ports.meaning.of(command)
        if (run) this.carryOut(row.commandId, run)
      } catch (error) {
        void this.ports.results.settle(row.commandId, { state: 'refused', error: this.coded(error).toBody() })
      }
    }
  }

  private waitsAsPrompt({ commandId, body }: Command): boolean {
    if (body.kind === 'prompt.send' || body.kind === 'session.create') return true
    return this.ports.turns.waiting.entries.some((entry) => entry.commandId === commandId)
  }

  private carryOut(commandId: string, run: () => Promise<void>): void {
    const refused = (error: unknown) =>
      this.ports.results.settle(commandId, { state: 'refused', error: this.coded(error).toBody() })
    const running: Promise<void> = run()
      .catch(refused)
      .catch(() => {})
      .finally(() => this.carriedOut.delete(running))
    this.carriedOut.add(running)
  }

  private async refuse(command: Command, error: CodedError): Promise<CommandAnswer> {
    const body = error.toBody()
    await this.ports.journal.write(this.received(command, 'refused', JSON.stringify(body)))
    return { state: 'refused', error: body }
  }

  private received(command: Command, state: InboxState, answer: string | null = null): LogChange {
    const { commandId, cmdSeq = null, body } = command
    const row = { commandId, cmdSeq, kind: body.kind, body: JSON.stringify(command), state, answer }
    return { received: [{ ...row, at: this.ports.now() }] }
  }

  private coded(error: unknown): CodedError {
    return toCodedError(this.ports.surprised(error))
  }

  private row(commandId: string) {
    const row = this.ports.journal.log.rows.inboxRow(commandId)
    return row && { commandId, state: row.state, error: row.answer === null ? undefined : JSON.parse(row.answer) }
  }
}
