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
  lacking,
  type QueueEntry,
  type SessionEventOf,
  toCodedError,
  unsupportedPrompt,
} from '@roundhouse/backend-types'
import { promptQueue } from '@roundhouse/delivery'
import type { ImageFiles } from '../../host-contract/image-files'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { OutputHold } from '../output/output-hold'
import type { ProgramRunner, RunningBackend } from '../program/program-runner'
import { factsOf } from '../program/refuse-command'
import { type Applied, desiredOf, type StoredSettings } from '../settings/settings'
import { messageIdOf } from './message-id'
import type { ProcessEnds } from './process-ends'
import type { Turn } from './turn'
import type { TurnCloser } from './turn-closer'
import type { TurnState } from './turn-state'
import { stopTurn } from './turn-stop'

/** How many programs may end, one after another, before a prompt reaches one. */
const MOST_STARTS = 5

export interface TurnPorts {
  journal: Journal
  runner: ProgramRunner
  images: ImageFiles
  state: TurnState
  closer: TurnCloser
  ends: Pick<ProcessEnds, 'startFailed'>
  /** The backend's output may be left in its pipe: what it answers is not heard. */
  hold: Pick<OutputHold, 'holds'>
  life: { endProcess(): Promise<void> }
  /** How long a program may take to end a turn that a person stopped. Absent: the usual time. */
  stopLimitMs: number | undefined
  newId(): string
  settings(): StoredSettings | null
  /** Reads what was said elsewhere in this conversation before a prompt. Null if there is nothing to wait for. */
  readElsewhere(promptId: string): Promise<void> | null
  mayBegin(): boolean
  /** Why no program may start for this turn now, or null. A reason is reported at once. */
  forbids(desired: Applied): CodedError | null
  changed(): void
}

export class TurnRunner {
  constructor(private readonly ports: TurnPorts) {}

  /** How the program shall know a prompt. */
  private messageId(promptId: string): string {
    return messageIdOf(this.ports.journal.log.logId, promptId)
  }

  /** Starts the next prompt if nothing prevents it. */
  advance(): void {
    const { state } = this.ports
    if (state.current || !this.ports.mayBegin()) return
    const { queue, entry } = promptQueue.takeNext(state.waiting)
    if (!entry) return
    const reading = this.ports.readElsewhere(entry.promptId)
    if (reading) {
      void reading.then(() => this.advance())
      return
    }
    if (this.mayStart(entry)) void this.run(entry, state.replaceQueue(queue))
    // A person's prompts stay, and continue when a person says so.
    else void this.ports.journal.write(state.replaceQueue({ ...state.waiting, held: true })).catch(() => {})
  }

  private mayStart(entry: QueueEntry): boolean {
    const stored = this.ports.settings()
    return !stored || this.ports.forbids(desiredOf(stored.settings, this.promptOf(entry).override)) === null
  }

  /** False if the turn has ended meanwhile. */
  async interrupt(turnId: string): Promise<boolean> {
    const turn = this.ports.state.current
    if (turn?.turnId !== turnId) return false
    const running = this.ports.runner.running
    if (turn.phase === 'running' && running) {
      const { hold, life, stopLimitMs } = this.ports
      const isHeld = () => hold.holds
      const endProcess = () => life.endProcess()
      const isOpen = () => this.ports.state.current === turn && !turn.endsWithProgram
      await stopTurn(() => interruptRunning(running), { isHeld, endProcess, isOpen }, stopLimitMs)
    }
    return true
  }

  private async run(entry: QueueEntry, queueRow: Pick<LogChange, 'meta'>): Promise<void> {
    const turnId = this.ports.newId()
    const { commandId } = entry
    const turn: Turn = { turnId, commandId, phase: 'starting', interruptAsked: false }
    this.ports.state.begin(turn)
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
        meta: { ...queueRow.meta, ...this.ports.state.note(false, startSeq) },
      },
    )
    this.ports.changed()
    try {
      const images = await this.ports.images.read(entry.promptId, entry.images)
      const running = await this.provide(turn, entry, asked.override, startSeq)
      if (!running) return
      if (turn.interruptAsked) {
        this.ports.closer.finish('interrupted')
        return
      }
      requireImages(running, images)
      turn.applied = running.applied
      running.adapter.send(running.process, entry.text, images, this.messageId(entry.promptId))
      if (images.length > 0) this.ports.images.drop(entry.promptId)
      turn.phase = 'running'
      this.ports.changed()
    } catch (thrown) {
      if (this.ports.state.current !== turn) return
      const error = toCodedError(thrown)
      this.ports.ends.startFailed(this.ports.newId(), error)
      this.ports.closer.finish('failed', { error: { code: error.code, message: error.message } })
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
      await journal.write({ meta: this.ports.state.note(true, startSeq) })
      if (this.ports.state.current !== turn || turn.endsWithProgram) return null
      if (turn.interruptAsked || runner.takesPrompts(running)) return running
    }
    throw new CodedError('BACKEND_CRASHED', 'The program ended each time before the prompt could be given to it.')
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
  const refusal = lacking(factsOf(adapter), 'interrupt')
  if (refusal) throw refusal
  if (!adapter.interrupt) throw new CodedError('UNSUPPORTED')
  await adapter.interrupt(process)
}

function requireImages({ adapter }: RunningBackend, images: readonly BackendImage[]): void {
  const refusal = unsupportedPrompt(factsOf(adapter), { text: 'any', images })
  if (refusal) throw refusal
}
