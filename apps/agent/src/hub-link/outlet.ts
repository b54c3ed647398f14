/**
 * The only way to send a frame (FLOW-8): it makes each frame fit (`fitting-frames.ts`) and measures it. A frame that is still
 * too large for the hub would close the link for every session, so the outlet does not send it and logs its name.
 */
import {
  type AgentToHub,
  agentToHub,
  CodedError,
  type CommandAnswer,
  type FrameOf,
  fromErrorBody,
  linkLimits,
  type Question,
  type QuestionAnswer,
  type QuestionKind,
  type Reply,
  type ReplyTo,
  readFrame,
  toCodedError,
} from '@roundhouse/backend-types'
import { isWithin, jsonBytes } from '@roundhouse/delivery'
import type { AgentSocket } from './agent-socket'
import { type FrameKind, fittingAnswer, fittingCommandAnswer, fittingError, frameWays } from './fitting-frames'

/** Of a frame beside its content: its namespace, number and verb, and the shape of an answer. */
const AROUND_BYTES = 512
/** Frames that are not sent are named so often on one connection. */
const MOST_NAMED = 100

type Rows = typeof agentToHub
/** The frames that the hub replies to. */
type AskedKind = { [K in FrameKind]: Rows[K] extends { reply: object } ? K : never }[FrameKind]

export type Answered = (reply: Reply<{ answer: unknown }>) => void

/** What the hub refused, as opposed to a link that broke. */
export class RefusedByHub extends Error {
  constructor(readonly error: ReturnType<CodedError['toBody']>) {
    super(`${error.message} (${error.code})`)
  }
}

export class Outlet {
  private frameBytes: number = linkLimits.frameBytes
  private readonly named = new Set<string>()

  constructor(
    private readonly socket: AgentSocket,
    private readonly log: (line: string) => void,
  ) {}

  get connected(): boolean {
    return this.socket.connected
  }

  /** What the hub said of its frames. */
  agree(frameBytes: number): void {
    this.frameBytes = frameBytes
  }

  emit<K extends FrameKind>(kind: K, body: FrameOf<AgentToHub, K>): void {
    const untyped = this.socket as unknown as { emit(event: string, body: unknown): void }
    for (const frame of frameWays[kind](body, this.frameBytes)) {
      if (this.fits(kind, frame)) untyped.emit(kind, frame)
    }
  }

  /** Emits, waits for the reply and checks it. Throws `RefusedByHub`, or a coded error when no reply came in time. */
  async ask<K extends AskedKind>(kind: K, body: FrameOf<AgentToHub, K>): Promise<ReplyTo<Rows[K]>> {
    if (!this.socket.connected) throw new CodedError('AGENT_OFFLINE', 'The link is down.')
    const [frame] = frameWays[kind](body, this.frameBytes)
    if (!this.fits(kind, frame)) throw new CodedError('FRAME_TOO_LARGE')
    const untyped = this.socket as unknown as { emitWithAck(event: string, body: unknown): Promise<Reply> }
    let reply: Reply
    try {
      reply = await untyped.emitWithAck(kind, frame)
    } catch (cause) {
      throw new CodedError('AGENT_OFFLINE', `The hub did not answer "${kind}".`, undefined, cause)
    }
    if (reply.ok) return readFrame(agentToHub[kind].reply, reply) as ReplyTo<Rows[K]>
    throw new RefusedByHub(fromErrorBody(reply.error).toBody())
  }

  async answerCommand(reply: unknown, sessionId: () => string, work: () => Promise<CommandAnswer>): Promise<void> {
    await this.answer(reply, 'command', sessionId, async () => fittingCommandAnswer(await work()))
  }

  /** The answer is as its kind of question wants it. */
  async answerQuestion(
    reply: unknown,
    read: () => Question,
    work: (question: Question) => Promise<QuestionAnswer<QuestionKind>>,
  ) {
    const named = () => {
      const question = read()
      return 'sessionId' in question ? question.sessionId : ''
    }
    await this.answer(reply, 'question', named, async () => {
      const question = read()
      return fittingAnswer(question.kind, await work(question), this.frameBytes)
    })
  }

  private async answer(reply: unknown, kind: string, sessionId: () => string, work: () => Promise<unknown>) {
    if (typeof reply !== 'function') return void (await work().catch(() => {}))
    const say = reply as Answered
    try {
      const answer = await work()
      if (!this.fits(`answer to ${kind}`, { sessionId: sessionId(), answer })) throw new CodedError('FRAME_TOO_LARGE')
      say({ ok: true, answer })
    } catch (error) {
      say({ ok: false, error: fittingError(toCodedError(error).toBody()) })
    }
  }

  private fits(kind: string, frame: unknown): boolean {
    const most = this.frameBytes - AROUND_BYTES
    if (isWithin(frame, most)) return true
    const { sessionId } = frame as { sessionId?: unknown }
    const what = typeof sessionId === 'string' && sessionId !== '' ? `${kind} of ${sessionId}` : kind
    if (this.named.has(what) || this.named.size >= MOST_NAMED) return false
    this.named.add(what)
    this.log(`FRAME_TOO_LARGE: not sent to the hub, which would close the link: ${what}, ${jsonBytes(frame)} bytes`)
    return false
  }
}
