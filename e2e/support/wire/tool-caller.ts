/** A program of a session that speaks to its host by hand: lines on the socket of the tools, without any code of ours. */
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export interface ToolReply {
  id: number
  ok: boolean
  value?: unknown
  error?: { code: string; message: string; details?: Record<string, unknown> }
}

export interface ToolsAt {
  socketPath: string
  key: string
}

/** What a program finds in its environment. Linux only. */
export function toolsOf(pid: number): ToolsAt {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  const [, key = '', socketPath = ''] = /(?:^|\0)ROUNDHOUSE_TOOLS=([0-9a-f]{64})@(\/[^\0]+)/.exec(environment) ?? []
  if (socketPath === '') throw new Error(`process ${pid} has no tools in its environment`)
  return { socketPath, key }
}

export class ToolCaller {
  /** To hold back what it reads, and to see what it could not send. */
  readonly socket: Socket
  readonly #waiting = new Map<number, (reply: ToolReply) => void>()
  #rest = ''
  #calls = 0

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.setEncoding('utf8')
  }

  /** Has proved itself. */
  static async open({ socketPath, key }: ToolsAt): Promise<ToolCaller> {
    const socket = connect(socketPath)
    const caller = new ToolCaller(socket)
    const nonce = randomBytes(16).toString('hex')
    caller.#send({ nonce })
    const [challenge] = (await once(socket, 'data')) as [string]
    const nonces = [nonce, JSON.parse(challenge).nonce].join('|')
    caller.#send({ proof: createHmac('sha256', key).update(`program-proof-v1|${nonces}`).digest('hex') })
    socket.on('data', (part: string) => caller.#hear(part))
    return caller
  }

  /** Resolves with the answer; never, where the connection ends before it. */
  call(tool: string, input: object = {}): Promise<ToolReply> {
    const id = ++this.#calls
    const reply = new Promise<ToolReply>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ type: 'call', id, callId: randomBytes(8).toString('hex'), tool, input })
    return reply
  }

  close(): void {
    this.socket.destroy()
  }

  #send(line: object): void {
    this.socket.write(`${JSON.stringify(line)}\n`)
  }

  #hear(part: string): void {
    const lines = (this.#rest + part).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const reply = JSON.parse(line) as ToolReply
      this.#waiting.get(reply.id)?.(reply)
      this.#waiting.delete(reply.id)
    }
  }
}
