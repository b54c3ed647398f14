/** Writes what became of a command to disk, and tells whoever sent it. */
import type { CommandAnswer } from '@roundhouse/backend-types'
import { startCommand } from '@roundhouse/delivery'
import type { Journal } from '../journal/journal'

export class CommandResults {
  constructor(
    private readonly journal: Journal,
    private readonly tell: (commandId: string, answer: CommandAnswer) => void,
  ) {}

  /** Told when it is on the disk, together with what the caller writes in this very step. */
  async news(commandId: string, answer: CommandAnswer): Promise<void> {
    await Promise.resolve()
    await this.journal.write({}).then(
      () => this.tell(commandId, answer),
      () => {},
    )
  }

  async settle(commandId: string, answer: CommandAnswer): Promise<void> {
    await this.journal.write({
      moved: [
        {
          commandId,
          state: answer.state,
          answer: answer.state === 'refused' ? JSON.stringify(answer.error) : null,
        },
      ],
    })
    await this.news(commandId, answer)
  }

  /** Marks the command as begun on disk, carries it out, then sends the result. Does nothing for one that began before. */
  async carryOut(commandId: string, act: () => Promise<void>): Promise<void> {
    const row = this.journal.log.rows.inboxRow(commandId)
    const begun = row && startCommand({ commandId, state: row.state })
    if (!begun) return
    await this.journal.write({ moved: [begun] })
    await act()
    await this.settle(commandId, { state: 'done' })
  }
}
