/**
 * Takes prompts from the queue, one turn at a time (CMD-5, LOG-7):
 *
 *   queue ─► turn_started + user_message on disk ─► a running backend ─► send ─► ... ─► turn_completed ─► next
 *                                                       └─ it cannot start: turn_completed{failed}
 *
 * A turn may also begin by itself (the backend's background task). Any end but `completed` holds the queue.
 */
import {
  type Author,
  type BackendImage,
  CodedError,
  type CommandBody,
  type QueueEntry,
  type SessionEvent,
  type SessionEventOf,
  type TurnCompleteInfo,
  type TurnEnd,
  toCodedError,
} from '@roundhouse/backend-types'
import { closeCalls, type PromptQueue, promptQueue } from '@roundhouse/delivery'
import type { LogChange } from '../../log/statements'
import { partialEvents } from '../output/partial-events'
import type { RunningBackend } from '../program/program-runner'
import { turnOver } from '../settings/identity-plan'
import { desiredOf } from '../settings/settings'
import { queueKey, type Turn, type TurnNote, type TurnPorts, turnKey } from './turn'
import { TurnScope } from './turn-scope'
import { stopTurn } from './turn-stop'

/** How many programs may end, one after another, before a prompt reaches one. */
const MOST_STARTS = 5

export class TurnRunner {
  private turn: Turn | null = null
  private queue: PromptQueue

  constructor(private readonly ports: TurnPorts) {
    const saved = ports.journal.log.rows.meta(queueKey)
    this.queue = saved === null ? promptQueue.emptyQueue() : (JSON.parse(saved) as PromptQueue)
  }

  get current(): Turn | null {
    return this.turn
  }

  get waiting(): PromptQueue {
    return this.queue
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

  /** Starts the next prompt if nothing prevents it. */
  advance(): void {
    if (this.turn || this.ports.isClosing() || !this.ports.hasPlace()) return
    const { queue, entry } = promptQueue.takeNext(this.queue)
    if (!entry) return
    const reading = this.ports.readElsewhere(entry.promptId)
    if (reading) {
      void reading.then(() => this.advance())
      return
    }
    if (this.mayStart(entry)) void this.run(entry, this.replaceQueue(queue))
    // A person's prompts stay, and continue when a person says so.
    else void this.ports.journal.write(this.replaceQueue({ ...this.queue, held: true })).catch(() => {})
  }

  private mayStart(entry: QueueEntry): boolean {
    const stored = this.ports.settings()
    return !stored || this.ports.forbids(desiredOf(stored.settings, this.promptOf(entry).override)) === null
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

  /** The turn that its program was given. */
  get handedOver(): Turn | null {
    return this.turn?.phase === 'running' ? this.turn : null
  }

  /** The turn's program is gone or never started, and the program's closing events did not end the turn. */
  giveUp(turn: Turn): void {
    if (this.turn === turn) this.finish('process_exited')
  }

  /** False if the turn has ended meanwhile. */
  async interrupt(turnId: string): Promise<boolean> {
    const turn = this.turn
    if (turn?.turnId !== turnId) return false
    const running = this.ports.runner.running
    if (turn.phase === 'running' && running) {
      const { isHeld, endProcess, stopLimitMs } = this.ports
      const isOpen = () => this.turn === turn && !turn.endsWithProgram
      await stopTurn(() => interruptRunning(running), { isHeld, endProcess, isOpen }, stopLimitMs)
    }
    return true
  }

  /** The backend began a turn by itself. */
  begun(running: RunningBackend): void {
    if (this.turn) return
    const turnId = this.ports.newId()
    this.turn = { turnId, phase: 'running', interruptAsked: false }
    void this.ports.journal.record([{ kind: 'turn_started', procId: running.procId, turnId, trigger: 'backend' }], {
      meta: { [turnKey]: this.note(true) },
    })
    this.ports.changed()
  }

  completed(info: TurnCompleteInfo): void {
    // While a prompt still waits for its backend, another turn completed.
    if (this.turn?.phase !== 'running') return
    const { cost, duration, contextUsage, usage, error, reason = 'completed' } = info
    this.finish(reason, {
      ...(cost === undefined ? {} : { cost: Math.max(0, cost) }),
      ...(duration === undefined ? {} : { duration: Math.max(0, duration) }),
      ...(contextUsage ? { contextUsage } : {}),
      ...(usage ? { usage } : {}),
      ...(error ? { error } : {}),
    })
  }

  /** The closing events of a process report the end of the turn; these are the rows that go with them. */
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

  private async run(entry: QueueEntry, queueRow: Pick<LogChange, 'meta'>): Promise<void> {
    const turnId = this.ports.newId()
    const { commandId } = entry
    const turn: Turn = { turnId, commandId, phase: 'starting', interruptAsked: false }
    this.turn = turn
    const asked = this.promptOf(entry)
    const startSeq = this.ports.journal.log.lastSeq + 1
    void this.ports.journal.record(
      [
        {
          kind: 'turn_started',
          commandId,
          turnId,
          trigger: 'prompt',
          promptId: entry.promptId,
          ...(asked.override ? { override: asked.override } : {}),
        },
        said(entry, { commandId, turnId, author: asked.author }),
      ],
      {
        moved: [{ commandId, state: 'started' }],
        meta: { ...queueRow.meta, [turnKey]: this.note(false, startSeq) },
      },
    )
    this.ports.changed()
    try {
      const images = await this.ports.images.read(entry.promptId, entry.images)
      const running = await this.provide(turn, entry, asked.override, startSeq)
      if (!running) return
      if (turn.interruptAsked) {
        this.finish('interrupted')
        return
      }
      requireImages(running, images)
      running.adapter.send(running.process, entry.text, images)
      if (images.length > 0) this.ports.images.drop(entry.promptId)
      turn.phase = 'running'
      this.ports.changed()
    } catch (thrown) {
      if (this.turn !== turn) return
      const error = toCodedError(thrown)
      this.ports.startFailed(error)
      this.finish('failed', { error: { code: error.code, message: error.message } })
    }
  }

  /** Returns a program that takes the prompt now. Null if the turn has ended or ends with its program. */
  private async provide(
    turn: Turn,
    entry: QueueEntry,
    override: { model?: string; mode?: string } | undefined,
    startSeq: number,
  ): Promise<RunningBackend | null> {
    const { runner, journal } = this.ports
    for (let starts = 0; starts < MOST_STARTS; starts++) {
      const settings = this.ports.settings()
      if (!settings) throw new CodedError('SESSION_NOT_FOUND')
      const running = await runner.ensure(desiredOf(settings.settings, override), entry.text)
      // Recorded before the prompt is sent: if the turn is found open later, the program may have received it.
      await journal.write({ meta: { [turnKey]: this.note(true, startSeq) } })
      if (this.turn !== turn || turn.endsWithProgram) return null
      if (turn.interruptAsked || runner.takesPrompts(running)) return running
    }
    throw new CodedError('BACKEND_CRASHED', 'The program ended each time before the prompt could be given to it.')
  }

  private finish(reason: TurnEnd, told: Partial<Extract<SessionEvent, { kind: 'turn_completed' }>> = {}): void {
    const turn = this.turn
    if (!turn) return
    const procId = this.ports.runner.running?.procId
    const inTurn = { turnId: turn.turnId, ...(procId === undefined ? {} : { procId }) }
    const scope = new TurnScope(this.ports.journal.projection, this.ports.background.callIds)
    this.ports.broker.withdrawThose(scope.holdsRequest)
    const { blocks, done } = this.ports.live.take(scope.holdsBlock)
    const unanswered = closeCalls(scope.calls(), inTurn)
    const completed: SessionEvent = {
      kind: 'turn_completed',
      ...inTurn,
      ...(turn.commandId === undefined ? {} : { commandId: turn.commandId }),
      reason,
      ...told,
    }
    const change = this.closedBy(reason)
    const { conversation, journal } = this.ports
    const durable = journal.record([...partialEvents(blocks), ...unanswered, completed], {
      ...change,
      meta: { ...change.meta, ...conversation.goOnWith(turnOver(conversation.current)).meta },
    })
    void durable.then(done, () => {})
    this.ports.changed()
    this.advance()
  }

  private note(handedOver: boolean, startSeq = this.ports.journal.log.lastSeq + 1): string {
    const turn = this.turn
    const note: TurnNote = {
      turnId: turn?.turnId ?? '',
      ...(turn?.commandId === undefined ? {} : { commandId: turn.commandId }),
      handedOver,
      startSeq,
    }
    return JSON.stringify(note)
  }

  /** The parts of a prompt that the queue does not hold are in its command. */
  private promptOf(entry: QueueEntry) {
    const row = this.ports.journal.log.rows.inboxRow(entry.commandId)
    const command = row
      ? (JSON.parse(row.body) as { author?: { userId: string; name: string }; body: CommandBody })
      : null
    const override = command?.body.kind === 'prompt.send' ? command.body.override : undefined
    return { author: command?.author, override }
  }
}

/** The event for a prompt. */
export function said(
  { promptId, text, images }: Pick<QueueEntry, 'promptId' | 'text' | 'images'>,
  by: { commandId: string; turnId: string; author?: Author | undefined },
): SessionEventOf<'user_message'> {
  const logged = images?.map((image) => ({ ...image, redacted: false as const }))
  return { kind: 'user_message', ...by, promptId, text, ...(logged ? { images: logged } : {}) }
}

async function interruptRunning({ adapter, process }: RunningBackend): Promise<void> {
  if (!adapter.interrupt) throw new CodedError('UNSUPPORTED')
  await adapter.interrupt(process)
}

function requireImages({ adapter }: RunningBackend, images: readonly BackendImage[]): void {
  if (images.length > 0 && !adapter.capabilities.acceptsImages)
    throw new CodedError('UNSUPPORTED', 'This backend takes no images.')
}
