/**
 * One session of a client: its program, the prompts that wait for it, and the questions to the client.
 *
 *     idle ── send ──► turn ── the program is done ──► idle          prompts that come meanwhile wait
 *       └── the program ended ──► no program ── send ──► started again where it was, with the same options
 */
import type { BackendOutput, TurnCompleteInfo } from '@roundhouse/backend-types'
import { CodedError, type HookCall } from '@roundhouse/backend-types'
import type { MadeFrames } from '../frames/made-frames'
import { type Frame, ownFrame } from '../frames/own-frames'
import type { HookAnswer } from '../messages/callback-answers'
import { errorReply, failureReply, queryFailed, type Say } from '../messages/replies'
import type { Callbacks } from './callbacks'
import type { Running, SessionProgram } from './program'
import { answerQuery, readQuery, type SessionChange } from './queries'
import type { SessionAsks } from './session-asks'
import { TurnState } from './turn-state'

/** As long as a host waits for a program of a hub's session (CMD-5.10). */
const INTERRUPT_MS = 30_000

export interface SessionPorts {
  id: string
  label: string
  say: Say
  callbacks: Callbacks
  asks: SessionAsks
  program: SessionProgram
  /** Null for a program that speaks Claude's language itself. */
  made: MadeFrames | null
  /** The client knows this session from now on. */
  known(): void
  /** Throws what the policy has against it. */
  requireChange(change: SessionChange): void
  log(line: string): void
}

interface Prompt {
  id: string
  text: string
}

export class BridgeSession {
  private readonly prompts: Prompt[] = []
  private readonly turn = new TurnState()
  /** The program has said itself how the turn ended. */
  private saidResult = false
  private isPumping = false
  private pumped: Promise<void> = Promise.resolve()
  /** An interrupt is under way. A second one shares its outcome; prompts wait for it, so it ends only the turn before them. */
  private ending: Promise<void> | null = null
  private closed = false

  constructor(private readonly ports: SessionPorts) {}

  /** Resolves when the program is there and has its first prompt. */
  async begin(prompt: Prompt): Promise<void> {
    await this.ports.program.ensure()
    this.ports.known()
    this.send(prompt)
  }

  send(prompt: Prompt): void {
    this.prompts.push(prompt)
    this.pump()
  }

  async interrupt(id: string): Promise<void> {
    const session_id = this.ports.id
    this.ending ??= this.endTurn().finally(() => {
      this.ending = null
    })
    try {
      await this.ending
      this.say({ type: 'session.interrupted', id, session_id, payload: {} })
    } catch (error) {
      this.say(failureReply('INTERRUPT_FAILED', error, { id, session_id }))
    }
  }

  private async endTurn(): Promise<void> {
    if (!this.ports.program.running?.process.isAlive()) return this.dropNext()
    // What was sent before is a turn first: an interrupt before that would end nothing.
    await this.pumped
    const { running } = this.ports.program
    if (!running) return
    const { adapter, process } = running
    if (!adapter.interrupt) throw new CodedError('UNSUPPORTED', 'This program cannot be interrupted.')
    const ended = this.turn.ended(INTERRUPT_MS)
    await adapter.interrupt(process)
    if (!(await ended)) throw new CodedError('BACKEND_TIMEOUT', 'The program has not ended the turn.')
  }

  /** Its program still starts, which may take a minute. */
  private dropNext(): void {
    if (this.turn.isRunning) return
    const prompt = this.prompts.shift()
    if (prompt)
      this.failed(new CodedError('NOT_RUNNING', 'The prompt was interrupted before the program had it.'), prompt)
  }

  /** After this nothing more is said of the session. Resolves when none of its processes is left. */
  async close(): Promise<void> {
    this.closed = true
    this.ports.callbacks.endAll()
    await this.ports.program.close()
  }

  async query(id: string, method: string, args: readonly unknown[]): Promise<void> {
    const { program, requireChange } = this.ports
    try {
      const query = readQuery(method, args)
      if (query.change) requireChange(query.change)
      const result = await answerQuery(query, await program.ensure())
      if (query.change) program.changed(query.change)
      this.say({ type: 'query.result', id, session_id: this.ports.id, payload: { success: true, result } })
    } catch (error) {
      this.say(queryFailed(id, this.ports.id, error))
    }
  }

  callback(id: string, payload: unknown): void {
    const fault = this.ports.callbacks.answer(id, payload)
    if (fault !== null) this.say(errorReply('INVALID_MESSAGE', fault, { id, session_id: this.ports.id }))
  }

  /** A hook may be called before the program is ready: the client has to know the session by then. */
  hook(call: HookCall): Promise<HookAnswer> {
    this.ports.known()
    return this.ports.asks.hook(call)
  }

  pauseOutput(paused: boolean): void {
    const running = this.ports.program.running
    running?.adapter.pauseOutput?.(running.process, paused)
  }

  /** Called right after a spawn. */
  wire(running: Running): void {
    const { adapter, process } = running
    const { asks, made, program } = this.ports
    adapter.onSessionStarted?.(process, ({ backendSessionId }) => {
      program.conversationIs(backendSessionId)
      if (made) made.sessionId = backendSessionId
    })
    adapter.onCommands?.(process, (commands) => {
      running.commands = commands
    })
    adapter.onTurnStarted?.(process, () => this.turnBegins())
    adapter.onOutput(process, (output) => this.output(output))
    adapter.onLive?.(process, (delta) => this.frames(made?.delta(delta) ?? []))
    adapter.onPermissionRequest?.(process, (request) => {
      const respond = adapter.respondToPermission?.bind(adapter, process)
      void asks.permission(request, adapter, async (decision) => {
        if (decision.decision !== 'allow') made?.denied(request)
        await respond?.(decision)
      })
    })
    adapter.onPermissionWithdrawn?.(process, (callId) => asks.withdraw(callId))
    adapter.onTurnComplete?.(process, (info) => this.turnEnds(info))
    adapter.onError?.(process, (error) => this.failed(error))
    adapter.onExit?.(process, (code, info) => void this.exited(running, code, info?.signal ?? null, info?.stderrTail))
  }

  private pump(): void {
    if (this.isPumping) return
    this.isPumping = true
    this.pumped = this.giveNext()
  }

  private async giveNext(): Promise<void> {
    await this.ending?.catch(() => {})
    while (!this.closed && !this.turn.isRunning && this.prompts.length > 0) {
      const running = await this.ports.program
        .ensure()
        .catch((error: unknown) => this.failed(error, this.prompts.shift()))
      if (running && !this.turn.isRunning) this.prompt(running, this.prompts.shift())
    }
    this.isPumping = false
  }

  private prompt({ adapter, process }: Running, prompt: Prompt | undefined): void {
    if (!prompt || this.closed) return
    this.turn.begin()
    this.saidResult = false
    try {
      // First: what the program has told of its conversation is heard before the prompt goes out.
      adapter.send(process, prompt.text)
      this.frames(this.ports.made?.begin() ?? [])
    } catch (error) {
      this.turn.end()
      this.failed(error, prompt)
    }
  }

  private turnBegins(): void {
    this.turn.begin()
    this.saidResult = false
    this.frames(this.ports.made?.begin() ?? [])
  }

  private output(output: BackendOutput): void {
    const { made, log } = this.ports
    const frame = made ? null : ownFrame(output)
    if (made) {
      this.frames(made.output(output))
    } else if (frame) {
      if (frame.type === 'result') this.saidResult = true
      this.frames([frame])
    } else if (output.kind === 'system' && output.subtype === 'line_dropped') {
      log(`session ${this.ports.id}: a frame of the program was too large and is left out`)
    }
  }

  private turnEnds(info: TurnCompleteInfo): void {
    const { made, asks, program } = this.ports
    this.turn.end()
    asks.turnEnded()
    program.conversationLasts()
    if (made) this.frames(made.end(info))
    // Not even the program has heard of this prompt: a command that the policy governs, for example.
    else if (!this.saidResult && info.error)
      this.failed(new CodedError('BACKEND_ERROR', info.error.message, info.error))
    this.pump()
  }

  /** It had to be killed. */
  lost(running: Running): void {
    void this.exited(running, null, 'SIGKILL')
  }

  private async exited(running: Running, code: number | null, signal: string | null, stderrTail = ''): Promise<void> {
    const { program, label, callbacks } = this.ports
    this.turn.end()
    callbacks.withdrawAll()
    const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`
    this.say(
      errorReply(
        'SDK_ERROR',
        `${label} ended ${how}.`,
        { session_id: this.ports.id },
        { exitCode: code, signal, stderrTail },
      ),
    )
    await program.exited(running)
    this.pump()
  }

  private failed(error: unknown, prompt?: Prompt): void {
    const id = prompt && { id: prompt.id }
    this.say(failureReply('SDK_ERROR', error, { session_id: this.ports.id, ...id }))
  }

  private frames(frames: readonly Frame[]): void {
    for (const payload of frames) this.say({ type: 'sdk.message', session_id: this.ports.id, payload })
  }

  private say(reply: Parameters<Say>[0]): void {
    if (!this.closed) this.ports.say(reply)
  }
}
