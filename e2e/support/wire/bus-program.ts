/** A program of somebody else's that speaks on the bus: a plain WebSocket with a token, without any library of ours. */
import type { BusDelivery, BusMessage, PublishAnswer } from '@roundhouse/backend-types'
import WebSocket from 'ws'

export type BusReply = { ok: boolean; error?: { code: string } } & Record<string, unknown>

export class BusProgram {
  readonly heard: BusMessage[] = []
  /** Where it continues after a break. */
  next = 0
  closed = false
  readonly #socket: WebSocket
  readonly #asked = new Map<string, (reply: BusReply) => void>()
  #asks = 0
  /** Why it was not let in; null: it is in. */
  #enter: (refusal: string | null) => void = () => {}
  readonly #entered = new Promise<string | null>((resolve) => {
    this.#enter = resolve
  })

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#hear(String(data)))
    socket.on('close', () => {
      this.closed = true
      this.#enter('CLOSED')
      for (const answer of this.#asked.values()) answer({ ok: false, error: { code: 'CLOSED' } })
      this.#asked.clear()
    })
    socket.on('error', () => {})
  }

  /** Connected, and greeted. Throws where it is not let in. */
  static async open(port: number, token: string, hello: object = {}): Promise<BusProgram> {
    const headers = { host: `localhost:${port}`, authorization: `Bearer ${token}` }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`, { headers })
    const program = new BusProgram(socket)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    socket.send('40/events,')
    // An event ahead of the namespace would end the connection.
    const refusal = await program.#entered
    if (refusal !== null) throw new Error(`it was not let in: ${refusal}`)
    const reply = await program.ask('hello', hello)
    if (reply.ok) return program
    program.close()
    throw new Error(`hello: ${reply.error?.code}`)
  }

  async ask(event: string, frame: unknown): Promise<BusReply> {
    const id = String(++this.#asks)
    if (this.closed) return { ok: false, error: { code: 'CLOSED' } }
    const reply = new Promise<BusReply>((resolve) => this.#asked.set(id, resolve))
    this.#socket.send(`42/events,${id}${JSON.stringify([event, frame])}`)
    return reply
  }

  /** One code for each message: `ok`, or why not. */
  async publish(...messages: unknown[]): Promise<string[]> {
    const reply = await this.ask('publish', { messages })
    if (!reply.ok) return messages.map(() => reply.error?.code ?? 'unknown')
    return (reply as unknown as PublishAnswer).results.map((result) => (result.ok ? 'ok' : result.error.code))
  }

  close(): void {
    this.#socket.terminate()
  }

  #hear(frame: string): void {
    if (frame === '2') this.#socket.send('3')
    if (frame.startsWith('40/events,')) this.#enter(null)
    if (frame.startsWith('44/events,')) this.#enter(JSON.parse(frame.slice('44/events,'.length)).message)
    const [, kind, id = '', json] = frame.match(/^4([23])\/events,(\d*)(.*)$/s) ?? []
    if (json === undefined) return
    if (kind === '3') {
      const [reply] = JSON.parse(json) as [BusReply]
      this.#asked.get(id)?.(reply)
      this.#asked.delete(id)
    } else {
      const [event, body] = JSON.parse(json) as [string, BusDelivery]
      if (event !== 'message') return
      this.heard.push(...body.messages)
      this.next = body.next
    }
  }
}
