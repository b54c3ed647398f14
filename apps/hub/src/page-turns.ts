/**
 * Pages are drawn by the one thread that answers everything. Two are drawn at once, the others wait, and each network has
 * its turn: a crowd that asks for pages makes its own pages late, and neither the API nor anybody else's.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

const AT_ONCE = 2
const WAITING_PER_NETWORK = 32
const WAITING_IN_ALL = 512
/** A reader who takes no bytes holds no turn. */
const LONGEST_TURN_MS = 2_000

interface Waiting {
  start: () => void
  refuse: () => void
}

export class Turns {
  #running = 0
  #waiting = 0
  /** The network whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>()

  /** `start` gets a function to be called when its turn ends; `refuse` is called instead where too many wait. */
  take(network: string, start: (done: () => void) => void, refuse: () => void): void {
    const run = () => {
      this.#running += 1
      let over = false
      start(() => {
        if (over) return
        over = true
        this.#running -= 1
        this.#next()
      })
    }
    if (this.#running < AT_ONCE) run()
    else this.#enqueue(network, { start: run, refuse })
  }

  #enqueue(network: string, waiting: Waiting): void {
    const queue = this.#queues.get(network) ?? []
    queue.push(waiting)
    this.#queues.set(network, queue)
    this.#waiting += 1
    if (queue.length > WAITING_PER_NETWORK) this.#refuseOldest(network)
    else if (this.#waiting > WAITING_IN_ALL) this.#refuseOldest(this.#longest())
  }

  #next(): void {
    const [network, queue] = this.#queues.entries().next().value ?? []
    if (network === undefined || !queue) return
    const waiting = queue.shift()
    this.#queues.delete(network)
    if (queue.length > 0) this.#queues.set(network, queue)
    this.#waiting -= 1
    waiting?.start()
  }

  #refuseOldest(network: string): void {
    const queue = this.#queues.get(network) ?? []
    queue.shift()?.refuse()
    this.#waiting -= 1
    if (queue.length === 0) this.#queues.delete(network)
  }

  #longest(): string {
    let most = 0
    let longest = ''
    for (const [network, { length }] of this.#queues) {
      if (length <= most) continue
      most = length
      longest = network
    }
    return longest
  }
}

/** `refuse` answers whoever came while too many waited. Files that are only sent wait for nobody. */
export function inTurns(
  pages: RequestListener,
  networkOf: (request: IncomingMessage) => string,
  refuse: (response: ServerResponse) => void,
): RequestListener {
  const turns = new Turns()
  return (request, response) => {
    if (request.url?.startsWith('/_next/static/')) return pages(request, response)
    turns.take(
      networkOf(request),
      (done) => {
        if (response.destroyed) return done()
        const timer = setTimeout(done, LONGEST_TURN_MS)
        const end = () => {
          clearTimeout(timer)
          done()
        }
        response.once('finish', end).once('close', end)
        pages(request, response)
      },
      () => refuse(response),
    )
  }
}
