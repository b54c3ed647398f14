/**
 * Receives commands (CMD-2..5): judged, put on disk, answered, then carried out at most once. What became of one that was
 * accepted is told as news and kept in its inbox row.
 *
 * A command whose whole effect is a change of the log file is `done` in the very transaction that accepts it.
 */
import { type CodedError, type Command, type CommandAnswer, toCodedError } from '@roundhouse/backend-types'
import { receiveCancel, receiveCommand } from '@roundhouse/delivery'
import type { InboxState } from '../log/rows'
import type { LogChange } from '../log/statements'
import { mergeChanges } from './close-process'
import { type Accepted, CommandMeaning, type MeaningPorts } from './command-meaning'

export interface CommandPorts extends Omit<MeaningPorts, 'settle'> {
  now(): number
}

export class CommandDesk {
  private readonly carriedOut = new Set<Promise<void>>()
  private readonly inHand = new Map<string, Promise<CommandAnswer>>()
  private readonly meaning: CommandMeaning

  constructor(private readonly ports: CommandPorts) {
    this.meaning = new CommandMeaning({ ...ports, settle: (commandId, answer) => this.settle(commandId, answer) })
  }

  /** Resolves when no command is being carried out any more. */
  async settled(): Promise<void> {
    while (this.carriedOut.size > 0) await Promise.allSettled([...this.carriedOut])
  }

  receive(command: Command): Promise<CommandAnswer> {
    return this.inHandOr(command.commandId, () => this.take(command))
  }

  cancel(commandId: string): Promise<CommandAnswer> {
    return this.inHandOr(commandId, () => this.callBack(commandId))
  }

  /** Whoever asks again before the row is on the disk gets the answer that it becomes. */
  private inHandOr(commandId: string, work: () => Promise<CommandAnswer>): Promise<CommandAnswer> {
    const known = this.inHand.get(commandId)
    if (known) return known
    const answer = work().finally(() => this.inHand.delete(commandId))
    this.inHand.set(commandId, answer)
    return answer
  }

  private async take(command: Command): Promise<CommandAnswer> {
    const { commandId } = command
    const known = receiveCommand(this.row(commandId))
    if (known.kind === 'repeat') return known.answer
    let accepted: Accepted
    try {
      accepted = this.meaning.of(command)
    } catch (error) {
      return this.refuse(command, toCodedError(error))
    }
    const { events = [], change = {}, state = accepted.run ? 'accepted' : 'done', run } = accepted
    await this.ports.journal.record(events, mergeChanges(this.received(command, state), change))
    if (run) this.carryOut(commandId, run)
    else if (state === 'done') void this.ports.news(commandId, { state: 'done' })
    this.ports.turns.advance()
    return { state: 'accepted' }
  }

  private async callBack(commandId: string): Promise<CommandAnswer> {
    const known = receiveCancel(this.row(commandId))
    if (known.kind === 'repeat') return known.answer
    const at = this.ports.now()
    await this.ports.journal.write({
      received: [{ commandId, cmdSeq: null, kind: 'cancelled', body: 'null', state: 'cancelled', answer: null, at }],
    })
    return { state: 'cancelled' }
  }

  /** Commands that a host before this one accepted and never began. Prompts wait in the queue and need nothing. */
  runLeftOvers(): void {
    for (const row of this.ports.journal.log.rows.unfinishedCommands()) {
      const command = JSON.parse(row.body) as Command
      if (row.state !== 'accepted' || isPrompt(command)) continue
      try {
        const { run } = this.meaning.of(command)
        if (run) this.carryOut(row.commandId, run)
      } catch (error) {
        void this.settle(row.commandId, { state: 'refused', error: toCodedError(error).toBody() })
      }
    }
  }

  private carryOut(commandId: string, run: () => Promise<void>): void {
    const refused = (error: unknown) =>
      this.settle(commandId, { state: 'refused', error: toCodedError(error).toBody() })
    const running: Promise<void> = run()
      .catch(refused)
      .catch(() => {})
      .finally(() => this.carriedOut.delete(running))
    this.carriedOut.add(running)
  }

  /** The result of a command, on disk and told. */
  private async settle(commandId: string, answer: CommandAnswer): Promise<void> {
    await this.ports.journal.write({
      moved: [
        {
          commandId,
          state: answer.state,
          answer: answer.state === 'refused' ? JSON.stringify(answer.error) : null,
        },
      ],
    })
    await this.ports.news(commandId, answer)
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

  private row(commandId: string) {
    const row = this.ports.journal.log.rows.inboxRow(commandId)
    return row && { commandId, state: row.state, error: row.answer === null ? undefined : JSON.parse(row.answer) }
  }
}

function isPrompt({ body }: Command): boolean {
  return body.kind === 'prompt.send' || body.kind === 'session.create'
}
