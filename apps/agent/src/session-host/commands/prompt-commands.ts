/** Decides what commands about prompts mean: a prompt for the queue or the running turn, changes of the queue, an interrupt. */
import { CodedError, type Command, type CommandOf, type QueueEntry } from '@roundhouse/backend-types'
import { type PromptQueue, promptQueue } from '@roundhouse/delivery'
import type { ImageFiles } from '../../host-contract/image-files'
import type { Journal } from '../journal/journal'
import type { Steering } from '../program/steering'
import { mergeChanges } from '../turns/close-process'
import type { Turn } from '../turns/turn'
import { said, type TurnRunner } from '../turns/turn-runner'
import type { TurnState } from '../turns/turn-state'
import type { Accepted } from './accepted'
import type { CommandResults } from './command-results'

const LONGEST_QUEUE = 200
/** Every change of the queue writes the whole queue. */
const LARGEST_QUEUE_BYTES = 8 * 1_048_576

export interface PromptPorts {
  journal: Journal
  turns: TurnState
  runner: Pick<TurnRunner, 'advance' | 'interrupt'>
  steering: Steering
  images: Pick<ImageFiles, 'drop'>
  results: CommandResults
}

export class PromptCommands {
  constructor(private readonly ports: PromptPorts) {}

  enqueue(command: Command, body: CommandOf<'prompt.send'>): Accepted {
    this.requireNew(body)
    return { change: this.ports.turns.goOn(this.queueWith(command, body)), state: 'accepted' }
  }

  /** CMD-5.28: whatever its idempotency key was, or its text. */
  private requireNew({ promptId }: CommandOf<'prompt.send'>): void {
    if (this.ports.journal.log.rows.hasPrompt(promptId))
      throw new CodedError('INVALID_ARGUMENT', 'A prompt with this id was sent already.', { promptId })
  }

  private queueWith(command: Command, body: CommandOf<'prompt.send'>): PromptQueue {
    const { waiting } = this.ports.turns
    if (waiting.entries.some(({ promptId }) => promptId === body.promptId))
      throw new CodedError('INVALID_ARGUMENT', 'A prompt with this id waits in the queue already.')
    const bytes = [body, ...waiting.entries].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    if (waiting.entries.length >= LONGEST_QUEUE || bytes > LARGEST_QUEUE_BYTES)
      throw new CodedError(
        'RATE_LIMITED',
        'The queue of this session is full. Remove a prompt, or wait until one has run.',
      )
    return promptQueue.enqueue(waiting, entryOf(command, body))
  }

  /** Adds the prompt to the running turn if the backend can; otherwise queues it. The backend may begin a new turn with it. */
  steer(command: Command, body: CommandOf<'prompt.send'>): Accepted {
    this.requireNew(body)
    const { commandId, author } = command
    const { turns, runner, steering, journal, results } = this.ports
    const asked = turns.current
    const wasStopping = asked?.interruptAsked === true
    return {
      run: async () => {
        await journal.write({ moved: [{ commandId, state: 'started' }] })
        const before = turns.current
        let told: Promise<unknown> = Promise.resolve()
        const begins = ({ turnId }: Turn) => {
          told = journal.record([{ ...said(body, { commandId, turnId, author }), steer: true }], {
            moved: [{ commandId, state: 'done' }],
          })
        }
        // Recorded where the program begins with it, so that no answer to it comes first.
        const isTaken = before !== null && (await steering.prompt(body, () => begins(turns.current ?? before)))
        if (!isTaken) {
          const queue = this.queueWith(command, body)
          const isGivenBack = asked !== null && !wasStopping && isStopped(asked)
          const change = isGivenBack ? turns.giveBack(queue, asked) : turns.goOn(queue)
          await journal.write(mergeChanges({ moved: [{ commandId, state: 'accepted' }] }, change))
          runner.advance()
          return
        }
        await told
        await results.news(commandId, { state: 'done' })
      },
    }
  }

  /** The command counts as begun once a disk has it. The mark alone may have ended the turn by then. */
  interrupt(command: Command, { turnId }: CommandOf<'turn.interrupt'>): Accepted {
    const { turns, runner, results } = this.ports
    const turn = turns.current
    if (turn === null || !turns.markInterrupt(turnId)) throw new CodedError('ALREADY_ENDED')
    const act = async () => {
      if (!(await runner.interrupt(turnId)) && turn.endedBy === 'completed') throw new CodedError('ALREADY_ENDED')
    }
    return { run: () => results.carryOut(command.commandId, act) }
  }

  change({ queue, answer }: promptQueue.QueueChange): Accepted {
    if (answer !== 'ok') throw new CodedError(answer === 'rev_changed' ? 'REV_CHANGED' : 'ALREADY_STARTED')
    return { change: this.ports.turns.replaceQueue(queue) }
  }

  remove(body: CommandOf<'queue.remove'>): Accepted {
    const { waiting } = this.ports.turns
    const entry = waiting.entries.find(({ promptId }) => promptId === body.promptId)
    const { change = {} } = this.change(promptQueue.remove(waiting, body.promptId, body.rev))
    if (!entry) return { change }
    if (entry.images) this.ports.images.drop(entry.promptId)
    void this.ports.results.news(entry.commandId, { state: 'cancelled' })
    return { change: mergeChanges(change, { moved: [{ commandId: entry.commandId, state: 'cancelled' }] }) }
  }
}

export function entryOf(command: Command, prompt: Pick<QueueEntry, 'promptId' | 'text' | 'images'>): QueueEntry {
  const { commandId, author } = command
  const { promptId, text, images } = prompt
  return { promptId, rev: 0, text, commandId, authorName: author.name, ...(images ? { images } : {}) }
}

/** True for a turn that ended, or is ending, for an outside reason. */
const isStopped = ({ endedBy, interruptAsked }: Turn): boolean =>
  interruptAsked || (endedBy !== undefined && endedBy !== 'completed')
