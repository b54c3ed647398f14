/**
 * One conversation: takes frames, plays turns one at a time, keeps the conversation on disk.
 *
 *     start -> ready -> idle -> prompt (or a background turn) -> turn -> end -> idle ... -> stdin ends -> exit 0
 */
import { createHash } from 'node:crypto'
import type { BackendImage, backgroundFinished } from '@roundhouse/backend-types'
import type { Change, FromPlayer, Settings, ToPlayer } from '../script/frames'
import { findScript, type Step } from '../script/script'
import { demoDelay, demoSteps } from './demo'
import type { Printer } from './printer'
import {
  type Conversation,
  isConversationId,
  KEPT_OUTPUTS,
  newConversation,
  type PastTurn,
  readConversation,
  saveConversation,
  turnNumber,
  userTexts,
} from './session-file'
import { SideTasks } from './side-tasks'
import type { Stage } from './stage'
import { readTail, saidByPerson, Tail, tailFile } from './tail'
import { openTruth } from './truth'
import { Turn } from './turn'

const finished: typeof backgroundFinished = 'background_finished'

export interface Surroundings {
  printer: Printer
  stateDir: string
  workDir: string
  env: Record<string, string | undefined>
  exit(code: number): void
}

/** How long a player may outlive its host at most. */
const ORPHAN_LIFE_MS = 600_000

interface Pending {
  prompt?: string
  steps: Step[]
}

export class Player {
  private readonly waiting: Pending[] = []
  private turn: Turn | null = null
  private readonly sideTasks = new SideTasks(
    (name) => new Turn(this.stage(), turnNumber(this.conversation), name),
    (tasks) => this.print({ type: 'tasks', tasks }),
    (data) => this.print({ type: 'note', subtype: finished, data }),
  )
  private tail: Tail
  private hostGone = false
  private livesOn = false

  private constructor(
    private readonly around: Surroundings,
    private conversation: Conversation,
    private settings: Settings,
  ) {
    this.tail = new Tail(tailFile(around.stateDir, conversation.id), KEPT_OUTPUTS)
  }

  /** Null when the start was refused. */
  static async start(around: Surroundings, frame: Extract<ToPlayer, { type: 'start' }>): Promise<Player | null> {
    const { stateDir, workDir, printer } = around
    const known = frame.resume === undefined ? null : readConversation(stateDir, frame.resume)
    const refusal = known ? null : refusalOf(stateDir, frame)
    if (refusal) {
      await printer.frames(0, [{ type: 'refused', ...refusal }])
      return null
    }
    const conversation = known ?? newConversation(workDir, Date.now(), frame.fresh)
    const player = new Player(around, conversation, frame.settings)
    player.save()
    player.recordTruth()
    printer.onFinishedBlocks((outputs) => player.remember(outputs))
    await printer.frames(0, [{ type: 'ready', session: conversation.id, resumed: known !== null }])
    return player
  }

  take(frame: ToPlayer): void {
    switch (frame.type) {
      case 'prompt':
        this.begin({ prompt: frame.text, steps: [...seenImages(frame.images), ...this.stepsFor(frame.text)] })
        break
      case 'answer': {
        const decided = { ...frame, decision: frame.answer }
        this.turn?.decide(frame.call, decided)
        this.sideTasks.decide(frame.call, decided)
        break
      }
      case 'stop_task':
        this.sideTasks.stop(frame.task)
        break
      case 'interrupt':
        this.turn?.interrupt()
        break
      case 'steer':
        this.reply(frame.id, this.steer(frame.text))
        break
      case 'configure':
        this.reply(frame.id, this.configure(frame.change))
        break
      case 'query':
        this.reply(frame.id, this.query(frame.method))
        break
      case 'start':
        break
    }
  }

  /** The host closed stdin, or died. What runs goes on to its end, as with any such program. */
  hostLeft(): void {
    this.hostGone = true
    if (this.livesOn) {
      setTimeout(() => this.around.exit(0), ORPHAN_LIFE_MS)
      return
    }
    this.turn?.abandon()
    if (!this.turn) this.around.exit(0)
  }

  private stepsFor(prompt: string): Step[] {
    return findScript(prompt) ?? demoSteps(prompt, demoDelay(this.around.env))
  }

  private begin(pending: Pending): void {
    this.waiting.push(pending)
    if (!this.turn) void this.playWaiting()
  }

  private async playWaiting(): Promise<void> {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const past: PastTurn = { steered: [], outputs: [], ...(next.prompt === undefined ? {} : { prompt: next.prompt }) }
      this.conversation.turns.push(past)
      this.turn = new Turn(this.stage(), turnNumber(this.conversation))
      this.conversation.view = this.view()
      this.save()
      if (next.prompt === undefined) await this.print({ type: 'begin' })
      await this.turn.play(next.steps, () => this.save())
      this.turn = null
    }
    if (this.hostGone && !this.livesOn) this.around.exit(0)
  }

  private stage(): Stage {
    const { printer, workDir, env } = this.around
    return {
      printer,
      workDir,
      env,
      settings: () => this.settings,
      historyLength: () => JSON.stringify(this.conversation.turns).length + (this.settings.systemPrompt?.length ?? 0),
      recall: () => {
        const earlier = { ...this.conversation, turns: this.conversation.turns.slice(0, -1) }
        return { turns: earlier.turns.length, last: userTexts(earlier).at(-1) }
      },
      clear: () => this.clear(),
      changeMode: (mode) => {
        this.configure({ mode })
        return this.print({ type: 'mode', mode })
      },
      startLater: ({ afterMs, steps }) => void setTimeout(() => this.begin({ steps }), afterMs ?? 0),
      goOn: (task, play) => this.sideTasks.start(task, play),
      liveOn: () => {
        this.livesOn = true
      },
    }
  }

  private async clear(): Promise<void> {
    const before = turnNumber(this.conversation)
    this.conversation = { ...newConversation(this.around.workDir, Date.now()), before }
    this.tail = new Tail(tailFile(this.around.stateDir, this.conversation.id), KEPT_OUTPUTS)
    this.save()
    this.recordTruth()
    await this.print({ type: 'ready', session: this.conversation.id, resumed: false })
    await this.print({ type: 'note', subtype: 'conversation_cleared', data: {} })
  }

  private recordTruth(): void {
    const { printer, stateDir, env } = this.around
    const { id } = this.conversation
    const tail = readTail(stateDir, id, turnNumber(this.conversation))
    if (env.ROUNDHOUSE_SCRIPT_TRUTH) printer.recordInto(openTruth(env.ROUNDHOUSE_SCRIPT_TRUTH, id, tail))
  }

  private steer(text: string): boolean {
    const taken = this.turn?.steer(text) ?? false
    if (taken) {
      this.conversation.turns.at(-1)?.steered.push(text)
      this.remember([saidByPerson(text)])
    }
    return taken
  }

  /** Everything takes effect at once: nothing needs a restart. */
  private configure(change: Change): string[] {
    this.settings = { ...this.settings, ...change }
    return []
  }

  private query(method: string): unknown {
    switch (method) {
      case 'mcpServerStatus':
        return this.settings.mcpServers.map((name) => ({ name, status: 'connected' }))
      case 'settings':
        return this.settings
      default:
        return null
    }
  }

  private view() {
    return {
      system: this.settings.systemPrompt ?? '',
      userTexts: userTexts(this.conversation),
      settings: this.settings,
    }
  }

  private remember(outputs: PastTurn['outputs']): void {
    const turn = this.conversation.turns.at(-1)
    if (!turn) return
    turn.outputs = [...turn.outputs, ...outputs].slice(-KEPT_OUTPUTS)
    this.tail.append(turnNumber(this.conversation), outputs)
  }

  private reply(id: string, value: unknown): void {
    void this.print({ type: 'reply', id, value })
  }

  private print(frame: FromPlayer): Promise<void> {
    return this.around.printer.frames(turnNumber(this.conversation), [frame])
  }

  private save(): void {
    saveConversation(this.around.stateDir, this.conversation, Date.now())
  }
}

/** The model says what it was shown. */
const seenImages = (images: readonly BackendImage[] = []): Step[] =>
  images.map(({ mediaType, data }) => {
    const bytes = Buffer.from(data, 'base64')
    return { text: `I see ${mediaType}, ${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex')}` }
  })

/** Why a conversation cannot begin, where there is none to go on with. */
function refusalOf(stateDir: string, { resume, fresh }: Extract<ToPlayer, { type: 'start' }>) {
  if (resume !== undefined) return { code: 'RESUME_UNAVAILABLE', message: `No conversation found with id ${resume}` }
  if (fresh === undefined) return null
  if (!isConversationId(fresh)) return { code: 'INVALID_ARGUMENT', message: `"${fresh}" is no id of a conversation` }
  return readConversation(stateDir, fresh)
    ? { code: 'INVALID_ARGUMENT', message: `The conversation ${fresh} is already in use` }
    : null
}
