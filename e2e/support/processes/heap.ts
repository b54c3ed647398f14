/** Counts the objects in the memory of a Node.js process with its own debugger, after a garbage collection. */
import WebSocket from 'ws'
import { until } from '../common/until'

/** For the environment of the examined process. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Of some 100,000. */
const AGREE = 20

export interface HeapCount {
  objects: number
  bytes: number
}

interface Answer {
  id: number
  result?: { result?: { value?: unknown; objectId?: string }; objects?: { objectId: string } }
}

export class Heap {
  #next = 1
  readonly #waiting = new Map<number, (answer: Answer) => void>()

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as Answer
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  /** `output`: what the process has printed so far. */
  static async of(output: () => string): Promise<Heap> {
    const url = await until('the debugger', () => output().match(/Debugger listening on (ws:\S+)/)?.[1])
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return new Heap(socket)
  }

  async count(): Promise<HeapCount> {
    for (let pass = 0; pass < 2; pass += 1) await this.#ask('HeapProfiler.collectGarbage', {})
    const prototype = await this.#ask('Runtime.evaluate', { expression: 'Object.prototype' })
    const found = await this.#ask('Runtime.queryObjects', {
      prototypeObjectId: prototype.result?.result?.objectId,
      objectGroup: 'count',
    })
    const objectId = found.result?.objects?.objectId
    const length = await this.#ask('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function () { return this.length }',
    })
    await this.#ask('Runtime.releaseObjectGroup', { objectGroup: 'count' })
    await this.#ask('HeapProfiler.collectGarbage', {})
    const used = await this.#ask('Runtime.evaluate', { expression: 'process.memoryUsage().heapUsed' })
    return { objects: Number(length.result?.result?.value), bytes: Number(used.result?.result?.value) }
  }

  /** Once what was under way, such as followers of the log, is done: two counts in a row agree. */
  async level(): Promise<HeapCount> {
    let last = await this.count()
    return until('the memory to be level', async () => {
      const before = last
      last = await this.count()
      return Math.abs(last.objects - before.objects) < AGREE && last
    })
  }

  close(): void {
    this.socket.terminate()
  }

  #ask(method: string, params: object): Promise<Answer> {
    const id = this.#next++
    this.socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }
}
