/**
 * Decides what each command means for this session: why it is refused, or what accepting it changes in the log and
 * leaves to do. The inbox receives commands and ensures that each is carried out once.
 */
import {
  CodedError,
  type Command,
  type CommandAnswer,
  type CommandOf,
  type QueueEntry,
  type SessionEvent,
  type SessionSettings,
} from '@roundhouse/backend-types'
import { type PromptQueue, promptQueue } from '@roundhouse/delivery'
import { realPathOf } from '../../actions/named-paths'
import { allowedAfterEnd } from '../../host-contract/after-the-end'
import type { ImageFiles } from '../../host-contract/image-files'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { InboxState } from '../../log/rows'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { Grants } from '../permissions/grants'
import type { PermissionBroker } from '../permissions/permission-broker'
import { judgeAgain, requireChanges } from '../settings/judge-again'
import { desiredOf, type StoredSettings, settingsKey } from '../settings/settings'
import { mergeChanges } from '../turns/close-process'
import type { Turn } from '../turns/turn'
import { said, type TurnRunner } from '../turns/turn-runner'
import type { SessionLife } from './session-life'

const LONGEST_QUEUE = 200
/** Every change of the queue writes the whole queue. */
const LARGEST_QUEUE_BYTES = 8 * 1_048_576

export interface MeaningPorts {
  journal: Journal
  turns: TurnRunner
  broker: PermissionBroker
  grants: Grants
  backends: readonly string[]
  policy(): HostPolicy
  settings(): StoredSettings | null
  /** Records that the program must not start here now, and ends what still runs. */
  forbidden(why: CodedError): void
  applySettings(stored: StoredSettings): void
  /** Tells a running backend of changed settings. */
  configureBackend(): Promise<void>
  steer(body: CommandOf<'prompt.send'>): Promise<boolean>
  images: Pick<ImageFiles, 'drop'>
  /** Rejects with `ALREADY_ENDED` if no task with this id runs beside the turns. */
  stopTask(taskId: string, commandId: string): Promise<void>
  life: Pick<SessionLife, 'resume' | 'endProcess' | 'stopSession' | 'deleteSession' | 'stopped' | 'choiceChanged'>
  blank(seq: number): void
  news(commandId: string, answer: CommandAnswer): Promise<void>
  /** Writes the result of a command to disk and sends it. */
  settle(commandId: string, answer: CommandAnswer): Promise<void>
}

/** The effect of accepting a command. `change` is written together with its row; `run`, if present, follows. */
export interface Accepted {
  events?: SessionEvent[]
  change?: LogChange
  state?: InboxState
  run?(): Promise<void>
}

export class CommandMeaning {
  constructor(private readonly ports: MeaningPorts) {}

  /** Throws the reason for a refusal. Has no effect beyond the change that the caller writes. */
  of(command: Command): Accepted {
    const { body } = command
    if (body.kind === 'session.create') return this.create(command, body)
    if (!this.ports.settings()) throw new CodedError('SESSION_NOT_FOUND')
    if (this.ports.journal.projection.ended && !allowedAfterEnd.has(body.kind)) throw new CodedError('SESSION_ENDED')
    if (startsWork.has(body.kind)) this.requireAllowed(body.kind === 'prompt.send' ? body.override : undefined)
    switch (body.kind) {
      case 'prompt.send':
        return body.steer && this.ports.turns.current ? this.steer(command, body) : this.enqueue(command, body)
      case 'queue.edit':
        return this.changeQueue(promptQueue.edit(this.ports.turns.waiting, body.promptId, body.rev, body.text))
      case 'queue.move':
        return this.changeQueue(promptQueue.move(this.ports.turns.waiting, body.promptId, body.rev, body.toIndex))
      case 'queue.remove':
        return this.removeFromQueue(body)
      case 'queue.release':
        return { change: this.ports.turns.goOn(promptQueue.release(this.ports.turns.waiting)) }
      case 'turn.interrupt':
        return this.interrupt(command, body)
      case 'task.stop':
        return this.later(command, () => this.ports.stopTask(body.taskId, command.commandId))
      case 'permission.decide':
        return {
          run: async () => {
            const result = await this.ports.broker.decide(body, command.commandId, command.author)
            await this.ports.news(command.commandId, result)
          },
        }
      case 'grant.revoke':
        if (!this.ports.grants.revoke(body.grantId, command.author, command.commandId))
          throw new CodedError('NOT_FOUND')
        return {}
      case 'session.configure':
        return this.configure(command, body)
      case 'session.resume':
        return this.later(command, () => this.ports.life.resume(body.fresh === true))
      case 'process.end':
        return this.endProcess(command)
      case 'session.stop':
        return {
          change: this.ports.life.stopped(),
          ...this.later(command, () => this.ports.life.stopSession(command)),
        }
      case 'session.delete':
        return this.later(command, () => this.ports.life.deleteSession())
      case 'event.blank':
        return this.later(command, async () => this.ports.blank(body.seq))
    }
  }

  /** POL-1: the policy may have become narrower since the session was created. */
  private requireAllowed(override: CommandOf<'prompt.send'>['override']): void {
    const stored = this.ports.settings()
    const refusal = stored && judgeAgain(this.ports.policy(), stored, desiredOf(stored.settings, override))
    if (!refusal) return
    this.ports.forbidden(refusal)
    throw refusal
  }

  /** Marks the command as begun on disk, carries it out, then sends the result. */
  private later(command: Command, act: () => Promise<void>): Accepted {
    const { commandId } = command
    return {
      run: async () => {
        await this.ports.journal.write({ moved: [{ commandId, state: 'started' }] })
        await act()
        await this.ports.settle(commandId, { state: 'done' })
      },
    }
  }

  /** Takes effect at once, so that no later prompt goes to the program that is ending. */
  private endProcess({ commandId }: Command): Accepted {
    const turn = this.ports.turns.endWithProgram()
    return {
      change: this.ports.life.stopped(),
      run: async () => {
        const ended = this.ports.life.endProcess(turn)
        await Promise.all([ended, this.ports.journal.write({ moved: [{ commandId, state: 'started' }] })])
        await this.ports.settle(commandId, { state: 'done' })
      },
    }
  }

  private create(command: Command, body: CommandOf<'session.create'>): Accepted {
    if (this.ports.settings()) throw new CodedError('INVALID_ARGUMENT', 'The session exists already.')
    const { settings, prompt, title, continuedFrom } = body
    if (!this.ports.backends.includes(settings.backend)) {
      throw new CodedError('BACKEND_UNAVAILABLE', `There is no ${settings.backend} on this machine.`)
    }
    const stored = { settings, realWorkDir: realPathOf(settings.workDir) }
    const refusal = judgeAgain(this.ports.policy(), stored)
    if (refusal) throw refusal
    const created: SessionEvent = {
      kind: 'session_created',
      commandId: command.commandId,
      logId: this.ports.journal.log.logId,
      ...stored,
      ...(title === undefined ? {} : { title }),
      author: command.author,
      ...(continuedFrom === undefined ? {} : { continuedFrom }),
    }
    this.ports.applySettings(stored)
    const queue = prompt ? promptQueue.enqueue(this.ports.turns.waiting, entryOf(command, prompt)) : null
    return {
      events: [created],
      change: mergeChanges(
        { meta: { [settingsKey]: JSON.stringify(stored) } },
        queue ? this.ports.turns.replaceQueue(queue) : {},
      ),
      state: prompt ? 'accepted' : 'done',
    }
  }

  private enqueue(command: Command, body: CommandOf<'prompt.send'>): Accepted {
    return { change: this.ports.turns.goOn(this.queueWith(command, body)), state: 'accepted' }
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
  private steer(command: Command, body: CommandOf<'prompt.send'>): Accepted {
    const { commandId, author } = command
    const { turns, journal } = this.ports
    const asked = turns.current
    const wasStopping = asked?.interruptAsked === true
    return {
      run: async () => {
        await journal.write({ moved: [{ commandId, state: 'started' }] })
        const before = turns.current
        if (before === null || !(await this.ports.steer(body))) {
          const queue = this.queueWith(command, body)
          const isGivenBack = asked !== null && !wasStopping && isStopped(asked)
          const change = isGivenBack ? turns.giveBack(queue, asked) : turns.goOn(queue)
          await journal.write(mergeChanges({ moved: [{ commandId, state: 'accepted' }] }, change))
          turns.advance()
          return
        }
        const { turnId } = turns.current ?? before
        await journal.record([{ ...said(body, { commandId, turnId, author }), steer: true }], {
          moved: [{ commandId, state: 'done' }],
        })
        await this.ports.news(commandId, { state: 'done' })
      },
    }
  }

  /** The command counts as begun once a disk has it. The mark alone may have ended the turn by then. */
  private interrupt(command: Command, { turnId }: CommandOf<'turn.interrupt'>): Accepted {
    const { turns } = this.ports
    const turn = turns.current
    if (turn === null || !turns.markInterrupt(turnId)) throw new CodedError('ALREADY_ENDED')
    return this.later(command, async () => {
      if (!(await turns.interrupt(turnId)) && turn.endedBy === 'completed') throw new CodedError('ALREADY_ENDED')
    })
  }

  private changeQueue({ queue, answer }: promptQueue.QueueChange): Accepted {
    if (answer !== 'ok') throw new CodedError(answer === 'rev_changed' ? 'REV_CHANGED' : 'ALREADY_STARTED')
    return { change: this.ports.turns.replaceQueue(queue) }
  }

  private removeFromQueue(body: CommandOf<'queue.remove'>): Accepted {
    const { waiting } = this.ports.turns
    const entry = waiting.entries.find(({ promptId }) => promptId === body.promptId)
    const { change = {} } = this.changeQueue(promptQueue.remove(waiting, body.promptId, body.rev))
    if (!entry) return { change }
    if (entry.images) this.ports.images.drop(entry.promptId)
    void this.ports.news(entry.commandId, { state: 'cancelled' })
    return { change: mergeChanges(change, { moved: [{ commandId: entry.commandId, state: 'cancelled' }] }) }
  }

  private configure(command: Command, body: CommandOf<'session.configure'>): Accepted {
    const stored = this.ports.settings()
    if (!stored) throw new CodedError('SESSION_NOT_FOUND')
    requireChanges(this.ports.policy(), body.changes)
    const { commandId, author } = command
    const { autoResume: _ours, ...changes } = body.changes
    const settings: SessionSettings = { ...stored.settings, ...body.changes }
    const next = { ...stored, settings }
    this.ports.applySettings(next)
    return {
      events: [{ kind: 'session_configured', commandId, changes, by: 'person', author }],
      change: mergeChanges({ meta: { [settingsKey]: JSON.stringify(next) } }, this.ports.life.choiceChanged()),
      run: async () => {
        // A failure here is repaired before the next turn.
        await this.ports.configureBackend().catch(() => {})
        await this.ports.settle(commandId, { state: 'done' })
      },
    }
  }
}

/** Commands after which a program starts or continues. */
const startsWork: ReadonlySet<Command['body']['kind']> = new Set(['prompt.send', 'queue.release', 'session.resume'])

function entryOf(command: Command, prompt: Pick<QueueEntry, 'promptId' | 'text' | 'images'>): QueueEntry {
  const { commandId, author } = command
  const { promptId, text, images } = prompt
  return { promptId, rev: 0, text, commandId, authorName: author.name, ...(images ? { images } : {}) }
}

/** True for a turn that ended, or is ending, for an outside reason. */
const isStopped = ({ endedBy, interruptAsked }: Turn): boolean =>
  interruptAsked || (endedBy !== undefined && endedBy !== 'completed')
