// One program on the bus: a plain WebSocket with a token, so that the load costs little of its own.
import WebSocket from 'ws'

export class BusProgram {
  #socket
  #asked = new Map()
  #asks = 0
  #onMessage
  /** Publish frames without an answer so far. */
  waiting = 0

  /** @param {(message: object, now: number) => void} onMessage */
  constructor(port, token, onMessage = () => {}) {
    const headers = { host: `localhost:${port}`, authorization: `Bearer ${token}` }
    this.#onMessage = onMessage
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`, { headers })
    this.#socket.on('error', () => {})
  }

  /** Returns the hub's answer to `hello`. */
  async enter(hello = {}) {
    await new Promise((resolve, reject) => {
      this.#socket.once('open', resolve)
      this.#socket.once('error', reject)
    })
    const entered = new Promise((resolve, reject) => {
      this.#socket.once('close', () => reject(new Error('the hub closed the connection')))
      this.#socket.on('message', (data) => this.#hear(String(data), resolve, reject))
    })
    this.#socket.send('40/events,')
    await entered
    const welcome = await this.ask('hello', hello)
    if (!welcome.ok) throw new Error(`hello: ${welcome.error.code}`)
    return welcome
  }

  ask(event, frame) {
    const id = String(++this.#asks)
    const reply = new Promise((resolve) => this.#asked.set(id, resolve))
    this.#socket.send(`42/events,${id}${JSON.stringify([event, frame])}`)
    return reply
  }

  /** One code for each message, `ok` or why not. */
  async publish(messages) {
    this.waiting += 1
    const reply = await this.ask('publish', { messages })
    this.waiting -= 1
    if (!reply.ok) return messages.map(() => reply.error.code)
    return reply.results.map((result) => (result.ok ? 'ok' : result.error.code))
  }

  close() {
    this.#socket.terminate()
  }

  #hear(frame, entered, refused) {
    if (frame === '2') this.#socket.send('3')
    else if (frame.startsWith('40/events,')) entered()
    else if (frame.startsWith('44/events,')) refused(new Error(`the hub refused the program: ${frame.slice(10)}`))
    else if (frame.startsWith('43/events,')) this.#answered(frame.slice(10))
    else if (frame.startsWith('42/events,')) {
      const [event, { messages }] = JSON.parse(frame.slice(10))
      const now = performance.now()
      if (event === 'message') for (const message of messages) this.#onMessage(message, now)
    }
  }

  #answered(text) {
    const at = text.indexOf('[')
    const id = text.slice(0, at)
    this.#asked.get(id)?.(JSON.parse(text.slice(at))[0])
    this.#asked.delete(id)
  }
}
