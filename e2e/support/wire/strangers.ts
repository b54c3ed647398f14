/** Unauthenticated callers that send bodies: the announced size, the sent part, and what an owner notices meanwhile. */
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { RawWeb } from './raw-web'

export interface HeldBody {
  /** Everything that the hub answered. Resolves when the hub closes the connection. */
  readonly answered: Promise<string>
  /** The system has the whole body, or the hub closed the connection before. */
  readonly sent: Promise<void>
  close(): void
}

export interface BodyOfStranger {
  path: string
  /** The value of Content-Length. */
  announced: number
  body: Buffer
  /** Another local address: loopback has many. */
  from?: string
  headers?: Record<string, string>
  method?: string
}

/** A POST whose body may stay shorter than announced. */
export function sendBody(
  web: RawWeb,
  { path, announced, body, from, headers = {}, method = 'POST' }: BodyOfStranger,
): HeldBody {
  const said = {
    host: `localhost:${web.hub.port}`,
    connection: 'close',
    'content-type': 'application/json',
    ...headers,
  }
  const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(said).map(([name, value]) => `${name}: ${value}`)]
  const where = { host: '127.0.0.1', port: web.hub.port, ...(from === undefined ? {} : { localAddress: from }) }
  const socket = connect(where)
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${announced}\r\n\r\n`)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const taken = new Promise<void>((resolve) => socket.write(body, () => resolve()))
  return {
    answered: textOf(socket, closed),
    sent: Promise.race([taken, closed]),
    close: () => void socket.destroy(),
  }
}

async function textOf(socket: Socket, closed: Promise<void>): Promise<string> {
  let heard = ''
  socket.setEncoding('latin1').on('data', (part: string) => (heard += part))
  socket.on('error', () => {})
  await closed
  return heard
}

/** The maximum, the 99th percentile and the median of an owner's small requests, one after the other, until `done`. */
export async function ownerWaits(
  ask: () => Promise<{ status: number }>,
  done: Promise<unknown>,
): Promise<{ p99: number; median: number; longest: number; count: number }> {
  let over = false
  void done.then(() => {
    over = true
  })
  const times: number[] = []
  while (!over || times.length === 0) {
    const began = performance.now()
    const { status } = await ask()
    if (status !== 200) throw new Error(`the owner was answered ${status}`)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0)
  return { p99: at(0.99), median: at(0.5), longest: at(1), count: times.length }
}

/** Many callers in a separate thread, so that the cost of the attack does not count as waiting time of the owner. */
export class Crowd {
  readonly #worker: Worker
  /** The first bytes of every answer. Resolves when all were cut off or have sent everything. */
  readonly done: Promise<string[]>

  constructor(
    web: RawWeb,
    attack: { paths: readonly string[]; count: number; announced: number; sent: number; byte: string },
  ) {
    this.#worker = new Worker(crowd, { eval: true, workerData: { port: web.hub.port, ...attack } })
    this.done = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve)
      this.#worker.once('error', reject)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

const crowd = `
  const { connect } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  const { port, paths, count, announced, sent, byte } = workerData
  const body = Buffer.alloc(sent, byte)
  const one = (i) => new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('error', () => {}).on('data', (part) => { heard += part.toString('latin1') })
    socket.once('close', () => resolve(heard.slice(0, 12)))
    const head = ['POST ' + paths[i % paths.length] + ' HTTP/1.1', 'host: localhost:' + port, 'connection: close']
    socket.write([...head, 'content-type: application/json', 'content-length: ' + announced].join('\\r\\n') + '\\r\\n\\r\\n')
    socket.write(body, () => setTimeout(() => resolve(heard.slice(0, 12)), 1000))
  })
  Promise.all(Array.from({ length: count }, (_, i) => one(i))).then((answers) => parentPort.postMessage(answers))
`
