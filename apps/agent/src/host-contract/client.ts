/**
 * The daemon's end of a session's socket. `connectHost` resolves once the host has said hello; from then on the handlers
 * hear everything, and each request resolves with the host's one answer. A connection that ends without a `bye` was cut.
 */
import { connect, type Socket } from 'node:net'
import {
  CodedError,
  type Command,
  type CommandAnswer,
  fromErrorBody,
  type HostState,
  type LiveFrame,
  type QueryAnswer,
  type ReadQuery,
  toCodedError,
} from '@roundhouse/backend-types'
import { LineSplitter, writeLine } from './framing'
import { Greeting } from './greeting'
import type { HostDoor } from './host-door'
import type { AckedNews, HostPolicy } from './launch-spec'
import {
  type ByeReason,
  HEARD_LINE_LIMIT,
  HostMessage,
  type HostMessageOf,
  type HostRequest,
  type StopHow,
} from './messages'
import { requireSocketPath } from './paths'
import { onlyByQuery, queriesUnknown } from './queries'
import { readableAccount } from './readable-account'
import { SEAL_LENGTH, type Seal } from './seal'

export interface HostHandlers {
  head?(head: number): void
  state?(state: HostState): void
  live?(frames: LiveFrame[]): void
  /** News of a command that was accepted earlier. */
  news?(commandId: string, answer: CommandAnswer): void
  /** Part of what it said could not be read, and is left out. It goes on. */
  unreadable?(problem: string): void
  /** The connection is over. `bye` is null when the host did not say goodbye: classify the session. */
  closed?(bye: { why: ByeReason; message?: string | undefined } | null): void
}

/** With a `sessionId`, the client refuses a host of another session. */
export type ConnectOptions = HostDoor & {
  /** Until `hello`; 5 s unless told. */
  timeoutMs?: number
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }
type Ask = HostRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

export class HostClient {
  readonly hello: HostMessageOf<'hello'>
  /** Resolves when the connection is over, behind `HostHandlers.closed`. */
  readonly closed: Promise<void>
  private nextId = 1
  private readonly waiting = new Map<number, Waiting>()
  private bye: { why: ByeReason; message?: string | undefined } | null = null

  constructor(
    private readonly socket: Socket,
    hello: HostMessageOf<'hello'>,
    private readonly handlers: HostHandlers,
    /** Seals what is said to the host; null for a host of the previous version. */
    private readonly seal: Seal | null,
  ) {
    this.hello = hello
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.ended()
        resolve()
      })
    })
  }

  /** Resolves when the command is in the host's inbox, on disk, or was refused. */
  command(command: Command): Promise<CommandAnswer> {
    const method = this.hello.queries ? null : onlyByQuery(command)
    if (method !== null) return Promise.resolve({ state: 'refused', error: queriesUnknown(method).toBody() })
    return this.ask({ type: 'command', command }) as Promise<CommandAnswer>
  }

  cancel(commandId: string): Promise<CommandAnswer> {
    return this.ask({ type: 'cancel', commandId }) as Promise<CommandAnswer>
  }

  block(blockId: string, from: number): Promise<{ text: string; length: number }> {
    return this.ask({ type: 'block', blockId, from }) as Promise<{ text: string; length: number }>
  }

  /** Refuses like a program that cannot: an older host does not know the request. */
  query(method: ReadQuery): Promise<QueryAnswer> {
    if (this.hello.queries) return this.ask({ type: 'query', method }) as Promise<QueryAnswer>
    return Promise.reject(queriesUnknown(method))
  }

  async policy(policy: HostPolicy): Promise<void> {
    await this.ask({ type: 'policy', policy })
  }

  /** Resolves when the log keeps it. */
  async acked(news: AckedNews): Promise<void> {
    await this.ask({ type: 'acked', ...news })
  }

  /** Resolves to whether it may start programs from now on. */
  async place(has: boolean): Promise<boolean> {
    const answer = (await this.ask({ type: 'place', has })) as { has: boolean }
    return answer.has
  }

  /** `stopped: false` only for `idle`, when something is going on. */
  stop(how: StopHow | 'makes_way'): Promise<{ stopped: boolean }> {
    const asked = how === 'makes_way' ? ({ how: 'shutdown', makesWay: true } as const) : { how }
    return this.ask({ type: 'stop', ...asked }) as Promise<{ stopped: boolean }>
  }

  /** Leaves; the host goes on. */
  close(): void {
    this.socket.destroy()
  }

  receive(message: HostMessage): void {
    switch (message.type) {
      case 'head':
        this.handlers.head?.(message.head)
        break
      case 'state':
        this.handlers.state?.(message.state)
        break
      case 'live':
        this.handlers.live?.(message.frames)
        break
      case 'news':
        this.handlers.news?.(message.commandId, message.answer)
        break
      case 'answer':
        this.settle(message)
        break
      case 'bye':
        this.bye = { why: message.why, message: message.message }
        break
      case 'hello':
        break
    }
  }

  private ask(request: Ask): Promise<unknown> {
    if (this.socket.destroyed) return Promise.reject(hostGone())
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      if (writeLine(this.socket, { ...request, id }, this.seal)) this.waiting.set(id, { resolve, reject })
      else reject(new CodedError('FRAME_TOO_LARGE'))
    })
  }

  private settle(answer: HostMessageOf<'answer'>): void {
    const waiting = this.waiting.get(answer.id)
    if (!waiting) return
    this.waiting.delete(answer.id)
    if (answer.ok) waiting.resolve(answer.value)
    else waiting.reject(fromErrorBody(answer.error))
  }

  private ended(): void {
    for (const waiting of this.waiting.values()) waiting.reject(hostGone())
    this.waiting.clear()
    this.handlers.closed?.(this.bye)
  }
}

/** Rejects with the socket's own error (`ECONNREFUSED`, `ENOENT`: nobody is there) or a `CodedError`. */
export function connectHost(options: ConnectOptions, handlers: HostHandlers = {}): Promise<HostClient> {
  return new Promise((resolve, reject) => {
    const socket = connect(requireSocketPath(options.socketPath))
    const lines = new LineSplitter(HEARD_LINE_LIMIT + SEAL_LENGTH)
    let client: HostClient | null = null
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(
      () => fail(new CodedError('BACKEND_TIMEOUT', 'The session host does not answer.')),
      options.timeoutMs ?? 5_000,
    )
    const greeting = new Greeting(socket, options)
    const receive = (line: string) => {
      const text = greeting.hear(line)
      if (text === null) return
      const { message, problem } = readHostMessage(text)
      if (problem !== null) handlers.unreadable?.(problem)
      if (client) return message ? client.receive(message) : undefined
      if (message?.type !== 'hello')
        throw new CodedError('MALFORMED_FRAME', 'The session host did not begin with hello.')
      if (options.sessionId !== undefined && message.sessionId !== options.sessionId) {
        throw new CodedError('SESSION_NOT_FOUND', 'Another session answers on that socket.')
      }
      clearTimeout(timer)
      client = new HostClient(socket, message, handlers, greeting.seal)
      resolve(client)
    }
    socket.on('error', fail)
    socket.once('close', () => fail(hostGone()))
    socket.on('connect', () => greeting.begin())
    socket.on('data', (chunk) => {
      try {
        for (const line of lines.push(chunk)) receive(line)
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })
}

/** What could be read of a line, and why that is not all of it. */
interface ReadMessage {
  message: HostMessage | null
  problem: string | null
}

/**
 * Live text and heads come many times a second from a program of our own, so they skip the schema. A message that cannot be
 * read is no reason to lose a host that lives: only a line that is no JSON is.
 */
function readHostMessage(line: string): ReadMessage {
  const told = JSON.parse(line) as HostMessage
  if (told.type === 'live' || told.type === 'head') return { message: told, problem: null }
  const account = told.type === 'state' || told.type === 'hello' ? readableAccount(told.state) : null
  const read = HostMessage.safeParse(account ? { ...told, state: account.state } : told)
  if (read.success) return { message: read.data, problem: account?.problem ?? null }
  if (told.type === 'hello') throw read.error
  return { message: unreadableAnswer(told), problem: toCodedError(read.error).message }
}

/** Whoever asked hears that the answer makes no sense. */
function unreadableAnswer(told: HostMessage): HostMessage | null {
  if (told.type !== 'answer' || !Number.isInteger(told.id)) return null
  return { type: 'answer', id: told.id, ok: false, error: new CodedError('MALFORMED_FRAME').toBody() }
}

function hostGone(): CodedError {
  return new CodedError('REQUEST_GONE', 'The session host is gone.')
}
