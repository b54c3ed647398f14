/** Unauthenticated callers that send bodies: the announced size, the sent part, and what an owner notices meanwhile. */
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { RawWeb } from './raw-web'

export interface HeldBody {
  /** Everything that the hub answered; ends when the hub hangs up. */
  readonly answered: Promise<string>
  /** The whole body was handed to the system, or the hub hung up before. */
  readonly sent: Promise<void>
  close(): void
}

export interface BodyOfStranger {
  path: string
  /** What Content-Length says. */
  announced: number
  body: Buffer
  /** Another client of this machine: loopback has many addresses. */
  from?: string
  headers?: Record<string, string>
  method?: string
}

/** A POST whose body may stay shorter than it says. */
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

/** The longest, the 99th percentile and the median of an owner's small requests, one after the other, until `done`. */
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

/** A crowd in a thread of its own, so that what it costs to attack is not taken for what the owner waits. */
export class Crowd {
  readonly #worker: Worker
  /** The first bytes of every answer; all have been cut off, or have sent what they had. */
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
