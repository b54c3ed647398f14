/**
 * The socket by which programs of this session reach it, and no other: a caller proves that it knows the key of this host. Whatever
 * else comes gets a coded answer, and the connection ends; nothing of it reaches the session.
 */
import type { Socket } from 'node:net'
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import { hearNoFaster, LineSplitter, writeLine } from '../../host-contract/framing'
import { isSame, newNonce, proofOf } from '../../host-contract/proof'
import { SocketPlace } from '../../host-contract/socket-place'
import { CallerHello, CallerProof, TOOL_LINE_LIMIT, type ToolAnswer, ToolRequest } from '../../tool-contract/messages'
import type { ToolsPlace } from '../../tool-contract/place'

/** Connections at once. A program has one, and each of its commands that publishes has another. */
const MOST_CALLERS = 32
const MOST_CALLS = 64
const PROOF_MS = 5_000
/** Until a caller has read why it was refused. */
const LEAVE_MS = 1_000

export interface CalledTool {
  callId: string
  tool: string
  input: unknown
  /** Nobody waits for the answer any more. */
  withdrawn: AbortSignal
}

export type CallTool = (call: CalledTool) => Promise<unknown>

export class ToolServer {
  private readonly place: SocketPlace
  private readonly callers = new Set<Caller>()
  private isClosing = false

  constructor(
    private readonly at: ToolsPlace,
    private readonly call: CallTool,
  ) {
    this.place = new SocketPlace([at.socketPath], (socket) => this.accept(socket))
  }

  listen(): Promise<void> {
    return this.place.listen()
  }

  /** Listens anew where its file is gone. */
  keepPlace(): Promise<void> {
    return this.place.keep()
  }

  async close(): Promise<void> {
    this.isClosing = true
    const closed = this.place.close()
    for (const caller of this.callers) caller.end()
    await closed
  }

  private accept(socket: Socket): void {
    socket.on('error', () => socket.destroy())
    if (this.isClosing) {
      socket.destroy()
      return
    }
    const caller = new Caller(socket, this.at.key, this.call)
    if (this.callers.size >= MOST_CALLERS) {
      caller.refuse(new CodedError('RATE_LIMITED', `At most ${MOST_CALLERS} programs of a session can speak at once.`))
      return
    }
    this.callers.add(caller)
    socket.once('close', () => this.callers.delete(caller))
  }
}

/** One connection: it proves itself, then it calls. */
class Caller {
  private readonly lines = new LineSplitter(TOOL_LINE_LIMIT)
  private readonly calls = new Map<number, AbortController>()
  private nonces: readonly [string, string] | null = null
  private isProved = false
  private isRefused = false
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly socket: Socket,
    private readonly key: string,
    private readonly call: CallTool,
  ) {
    this.timer = setTimeout(() => this.refuse(new CodedError('AUTH_REQUIRED', 'Nothing proved this caller.')), PROOF_MS)
    this.timer.unref()
    socket.on('data', (chunk) => this.push(chunk))
    socket.once('close', () => {
      clearTimeout(this.timer)
      for (const call of this.calls.values()) call.abort()
    })
  }

  /** What it still sends is thrown away, so that it reads the answer instead of an error of its own. */
  refuse(error: CodedError): void {
    if (this.isRefused) return
    this.isRefused = true
    this.answer({ id: 0, ok: false, error: error.toBody() })
    this.end()
  }

  end(): void {
    this.socket.end()
    setTimeout(() => this.socket.destroy(), LEAVE_MS).unref()
  }

  private push(chunk: Buffer): void {
    if (this.isRefused) return
    try {
      for (const line of this.lines.push(chunk)) if (!this.isRefused) this.hear(line)
    } catch (error) {
      this.refuse(asFrameError(error))
    }
  }

  private hear(line: string): void {
    const json: unknown = JSON.parse(line)
    if (this.isProved) this.request(ToolRequest.parse(json))
    else if (this.nonces) this.prove(CallerProof.parse(json).proof, this.nonces)
    else {
      this.nonces = [CallerHello.parse(json).nonce, newNonce()]
      writeLine(this.socket, { nonce: this.nonces[1], proof: proofOf(this.key, 'host', this.nonces) })
    }
  }

  private prove(proof: string, nonces: readonly [string, string]): void {
    if (!isSame(proof, proofOf(this.key, 'program', nonces)))
      throw new CodedError('AUTH_FAILED', 'This is the socket of another session.')
    this.isProved = true
    clearTimeout(this.timer)
  }

  private request(request: ToolRequest): void {
    const { id } = request
    if (request.type === 'cancel') {
      this.calls.get(id)?.abort()
      return
    }
    if (this.calls.has(id)) throw new CodedError('MALFORMED_FRAME', 'A call with this id is open already.')
    if (this.calls.size >= MOST_CALLS) {
      this.answer({ id, ok: false, error: new CodedError('RATE_LIMITED', 'Too many calls are open.').toBody() })
      return
    }
    const withdrawn = new AbortController()
    this.calls.set(id, withdrawn)
    const { callId, tool, input } = request
    void this.call({ callId, tool, input, withdrawn: withdrawn.signal })
      .then(
        (value) => this.answer({ id, ok: true, value: value ?? null }),
        (error) => this.answer({ id, ok: false, error: toCodedError(error).toBody() }),
      )
      .finally(() => this.calls.delete(id))
  }

  private answer(answer: ToolAnswer): void {
    writeLine(this.socket, answer)
    hearNoFaster(this.socket)
  }
}

/** What is no JSON, or not of the shape, is one thing to a caller. */
function asFrameError(error: unknown): CodedError {
  if (error instanceof SyntaxError) return new CodedError('MALFORMED_FRAME')
  const coded = toCodedError(error)
  return coded.code === 'INVALID_ARGUMENT' ? new CodedError('MALFORMED_FRAME', coded.message) : coded
}
