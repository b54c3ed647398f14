/**
 * One subscription to the bus, over as many connections as it takes. It knows the last offset that it printed, so that after a break
 * it goes on from there: nothing is missing, and nothing comes twice.
 *
 *   connecting -- hello, subscribe --> hearing -- link ends --> pausing -- a moment --> connecting
 *   connecting -- refused for good --> ended        any -- stop --> ended
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BusDelivery, CodedError, HubToProgram, ProgramToHub } from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'
import type { HubAccess } from './hub-access'
import type { OutLines } from './out-lines'
import { pauseBefore } from './pause-before'
import { heardNothing, refusalOf, requireOk } from './refusal'

export interface SubscriptionOptions {
  access: HubAccess
  patterns: string[]
  /** Null: what is published from now on. */
  after: number | null
  name: string | null
  lines: OutLines
  /** What a person should know, on stderr. */
  say: (text: string) => void
  stop: AbortSignal
}

type BusSocket = Socket<HubToProgram, ProgramToHub>

const CONNECT_TIMEOUT_MS = 10_000
const ASK_TIMEOUT_MS = 20_000
const BYE_TIMEOUT_MS = 1_000

export class Subscription {
  readonly #options: SubscriptionOptions
  /** The offset up to which everything is printed. Null: not known before the first subscription. */
  #after: number | null
  #failures = 0

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#after = options.after
  }

  /** Resolves when it was stopped. Throws what the hub refuses for good. */
  async run(): Promise<void> {
    const { stop, lines, say } = this.#options
    while (!stop.aborted) {
      await unlessStopped(lines.drained(), stop)
      const why = await this.#connection()
      if (stop.aborted) return
      if (this.#failures === 0) say(`${why}; connecting again`)
      await unlessStopped(sleep(pauseBefore(this.#failures, Math.random())), stop)
      this.#failures += 1
    }
  }

  /** Resolves with why the link ended. */
  async #connection(): Promise<string> {
    const { access, stop } = this.#options
    const socket: BusSocket = io(`${access.hubUrl}/events`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      timeout: CONNECT_TIMEOUT_MS,
      extraHeaders: { authorization: `Bearer ${access.token}` },
    })
    let onStop = () => {}
    try {
      return await new Promise<string>((resolve, reject) => {
        onStop = () => resolve('stopped')
        stop.addEventListener('abort', onStop)
        socket.on('connect', () => this.#begin(socket).catch((error) => settle(heardNothing(error))))
        socket.on('connect_error', (error) => settle(refusalOf(error)))
        socket.on('disconnect', (why) => resolve(`the link to the hub ended (${why})`))
        const settle = (error: CodedError) => (isForGood(error) ? reject(error) : resolve(error.message))
      })
    } finally {
      stop.removeEventListener('abort', onStop)
      if (socket.connected) await bye(socket)
      socket.removeAllListeners()
      socket.disconnect()
    }
  }

  async #begin(socket: BusSocket): Promise<void> {
    const { patterns, name, say } = this.#options
    const asked = this.#after
    const within = socket.timeout(ASK_TIMEOUT_MS)
    requireOk(await within.emitWithAck('hello', name === null ? {} : { name }))
    socket.on('message', (frame) => this.#hear(socket, frame))
    const frame = { patterns, ...(asked === null ? {} : { after: asked }) }
    const { after } = requireOk(await within.emitWithAck('subscribe', frame))
    this.#failures = 0
    if (asked !== null && after < asked)
      say(`the hub has messages up to offset ${after} only, not up to ${asked}; going on from ${after}`)
    if (asked === null || after < asked) this.#after = after
  }

  #hear(socket: BusSocket, { messages, next }: BusDelivery): void {
    const { lines } = this.#options
    let room = true
    for (const message of messages) {
      if (message.offset <= (this.#after ?? 0)) continue
      room = lines.write(JSON.stringify(message))
      if (lines.isClosed) return
      this.#after = message.offset
    }
    this.#after = Math.max(this.#after ?? 0, next)
    if (!room) void hold(socket, lines)
  }
}

/** The hub keeps what a slow reader has not taken: nothing more is read from the link until the output is drained. */
async function hold(socket: BusSocket, lines: OutLines): Promise<void> {
  const transport: unknown = socket.io.engine?.transport
  const ws = typeof transport === 'object' && transport !== null && 'ws' in transport ? transport.ws : null
  if (typeof ws !== 'object' || ws === null || !('pause' in ws) || !('resume' in ws)) return
  const [pause, resume] = [ws.pause, ws.resume]
  if (typeof pause !== 'function' || typeof resume !== 'function') return
  pause.call(ws)
  await lines.drained()
  resume.call(ws)
}

/** So that the peer has left and not crashed. */
const bye = (socket: BusSocket): Promise<unknown> =>
  socket
    .timeout(BYE_TIMEOUT_MS)
    .emitWithAck('bye', {})
    .catch(() => {})

/** No later attempt would go better. */
const isForGood = ({ code }: CodedError): boolean =>
  (['AUTH_REQUIRED', 'FORBIDDEN', 'INVALID_ARGUMENT', 'MALFORMED_FRAME'] as string[]).includes(code)

/** Resolves at a stop, too. */
function unlessStopped(work: Promise<unknown>, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve()
    if (stop.aborted) done()
    stop.addEventListener('abort', done, { once: true })
    void work.finally(() => {
      stop.removeEventListener('abort', done)
      done()
    })
  })
}
