/** The program's end of the socket of a session's tools. Each call resolves with the host's answer, or rejects with its code. */
import { connect, type Socket } from 'node:net'
import { CodedError, fromErrorBody, toCodedError } from '@roundhouse/backend-types'
import { LineSplitter, writeLine } from '../host-contract/framing'
import { isSame, newNonce, proofOf } from '../host-contract/proof'
import { HostChallenge, TOOL_LINE_LIMIT, ToolAnswer, type ToolRequest } from './messages'
import type { ToolsPlace } from './place'

export interface ToolCall {
  callId: string
  tool: string
  input: unknown
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: CodedError): void
}

/** Longer than a busy host takes to answer, shorter than a person waits. */
const GREETING_MS = 10_000

export class ToolClient {
  private nextId = 1
  private readonly waiting = new Map<number, Waiting>()
  private over: CodedError | null = null

  private constructor(private readonly socket: Socket) {}

  /** Rejects with `NOT_RUNNING` where no host listens, and with `AUTH_FAILED` where it is another session's. */
  static connect({ socketPath, key }: ToolsPlace): Promise<ToolClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(socketPath)
      const lines = new LineSplitter(TOOL_LINE_LIMIT)
      const client = new ToolClient(socket)
      const nonce = newNonce()
      const timer = setTimeout(() => fail(new CodedError('NOT_RUNNING', HOST_SILENT)), GREETING_MS)
      let isProved = false
      const fail = (error: CodedError) => {
        clearTimeout(timer)
        client.end(error)
        reject(client.over ?? error)
      }
      const hear = (line: string) => {
        if (isProved) return client.hear(line)
        const json: unknown = JSON.parse(line)
        const refused = ToolAnswer.safeParse(json)
        if (refused.success && !refused.data.ok) throw fromErrorBody(refused.data.error)
        const challenge = HostChallenge.parse(json)
        const nonces = [nonce, challenge.nonce] as const
        if (!isSame(challenge.proof, proofOf(key, 'host', nonces)))
          throw new CodedError('AUTH_FAILED', 'This is not the host of this session.')
        writeLine(socket, { proof: proofOf(key, 'program', nonces) })
        isProved = true
        clearTimeout(timer)
        resolve(client)
      }
      socket.on('connect', () => writeLine(socket, { nonce }))
      socket.on('data', (chunk) => {
        try {
          for (const line of lines.push(chunk)) hear(line)
        } catch (error) {
          fail(toCodedError(error))
        }
      })
      socket.on('error', (cause) => fail(new CodedError('NOT_RUNNING', HOST_GONE, undefined, cause)))
      socket.on('close', () => fail(new CodedError('NOT_RUNNING', HOST_GONE)))
    })
  }

  /** `withdrawn`: nobody waits for its answer any more. */
  call(call: ToolCall, withdrawn?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(this.over)
      const id = this.nextId++
      this.waiting.set(id, { resolve, reject })
      withdrawn?.addEventListener('abort', () => this.send({ type: 'cancel', id }), { once: true })
      if (!this.send({ type: 'call', id, ...call })) {
        this.waiting.delete(id)
        reject(new CodedError('FRAME_TOO_LARGE'))
      }
    })
  }

  close(): void {
    this.end(new CodedError('NOT_RUNNING', HOST_GONE))
  }

  private send(request: ToolRequest): boolean {
    if (JSON.stringify(request).length > TOOL_LINE_LIMIT) return false
    return writeLine(this.socket, request)
  }

  private hear(line: string): void {
    const answer = ToolAnswer.parse(JSON.parse(line))
    if (answer.id === 0) throw answer.ok ? new CodedError('MALFORMED_FRAME') : fromErrorBody(answer.error)
    const waiting = this.waiting.get(answer.id)
    this.waiting.delete(answer.id)
    if (answer.ok) waiting?.resolve(answer.value)
    else waiting?.reject(fromErrorBody(answer.error))
  }

  private end(why: CodedError): void {
    this.over ??= why
    this.socket.destroy()
    for (const { reject } of this.waiting.values()) reject(this.over)
    this.waiting.clear()
  }
}

const HOST_GONE = 'The host of this session is gone. Nobody can tell whether it took the last call.'
const HOST_SILENT = 'The host of this session does not answer.'
