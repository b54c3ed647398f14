/**
 * The part of MCP that tools over stdio need: `initialize`, `ping`, `tools/list`, `tools/call`, and the notification that nobody
 * waits for a call any more. One JSON object a line. Why it is our own: docs/decisions/our-own-small-mcp-server.md.
 */
import { type LineEnds, LineSplitter } from '@roundhouse/lines'
import type { ListedTool } from './catalogue'

/** The versions in which these few messages have this form. The newest is offered to a client that asks for another one. */
export const protocolVersions = ['2025-06-18', '2025-03-26', '2024-11-05'] as const

/** Bytes of a line. A longer one is answered, and passed over. */
const LINE_LIMIT_BYTES = 1024 * 1024
/** In one line: only one version has batches. */
const MOST_IN_BATCH = 64
/** Some clients give up a call that says nothing for a minute. */
const STILL_WAITING_MS = 15_000

const codes = { parse: -32_700, invalid: -32_600, method: -32_601, params: -32_602 } as const

export interface ToolResult {
  text: string
  isError: boolean
}

export interface McpPorts {
  software: { name: string; version: string }
  tools: readonly ListedTool[]
  write(line: string): void
  /** Never rejects: what went wrong is said to the model. */
  call(tool: string, input: unknown, withdrawn: AbortSignal): Promise<ToolResult>
}

type Json = Record<string, unknown>
type Id = string | number

export class McpServer {
  private readonly lines = new LineSplitter(LINE_LIMIT_BYTES)
  private readonly calls = new Map<Id, AbortController>()

  constructor(private readonly ports: McpPorts) {}

  push(chunk: Buffer): void {
    for (const line of this.lines.push(chunk)) {
      if (line.kind === 'line') this.hear(line.text)
      else this.tooLong(line)
    }
  }

  /** The client is gone. */
  end(): void {
    for (const call of this.calls.values()) call.abort()
  }

  private hear(text: string): void {
    if (text.trim() === '') return
    const frame = parsed(text)
    if (frame === undefined) this.refuse(null, codes.parse, 'This line is no JSON.')
    else if (!Array.isArray(frame)) this.frame(recordOf(frame))
    else if (frame.length > MOST_IN_BATCH) this.refuse(null, codes.invalid, 'This batch is too long.')
    else for (const one of frame) this.frame(recordOf(one))
  }

  private frame(frame: Json): void {
    const { id, method, params } = frame
    // This server asks for nothing, so an answer is to nobody.
    if (method === undefined && ('result' in frame || 'error' in frame)) return
    if (typeof method !== 'string') this.refuse(isId(id) ? id : null, codes.invalid, 'This is no request.')
    else if (isId(id)) this.request(id, method, recordOf(params))
    else if (id === undefined) this.notified(method, recordOf(params))
    else this.refuse(null, codes.invalid, 'The id of a request is a text or a number.')
  }

  private request(id: Id, method: string, params: Json): void {
    switch (method) {
      case 'initialize':
        this.reply(id, this.introduction(params))
        break
      case 'ping':
        this.reply(id, {})
        break
      case 'tools/list':
        this.reply(id, { tools: this.ports.tools })
        break
      case 'tools/call':
        this.callTool(id, params)
        break
      default:
        this.refuse(id, codes.method, `There is no method "${method.slice(0, 64)}".`)
    }
  }

  private introduction({ protocolVersion }: Json): Json {
    return {
      protocolVersion: protocolVersions.find((version) => version === protocolVersion) ?? protocolVersions[0],
      capabilities: { tools: {} },
      serverInfo: this.ports.software,
      instructions:
        'These tools tell the people and programs that watch this session where it stands, and reach the other sessions of its tree. They change nothing on this machine.',
    }
  }

  private callTool(id: Id, { name, arguments: input, _meta }: Json): void {
    if (typeof name !== 'string' || !this.ports.tools.some((tool) => tool.name === name))
      this.refuse(id, codes.params, 'There is no such tool.')
    else if (this.calls.has(id)) this.refuse(id, codes.invalid, 'A request with this id is open.')
    else this.run(id, name, input, _meta)
  }

  private run(id: Id, name: string, input: unknown, meta: unknown): void {
    const withdrawn = new AbortController()
    this.calls.set(id, withdrawn)
    const stopTelling = this.tellProgress(recordOf(meta).progressToken)
    void this.ports.call(name, input, withdrawn.signal).then(({ text, isError }) => {
      stopTelling()
      this.calls.delete(id)
      // Nobody reads the answer to a request that was cancelled.
      if (withdrawn.signal.aborted) return
      this.reply(id, { content: [{ type: 'text', text }], ...(isError ? { isError: true } : {}) })
    })
  }

  /** Only where the client asked to be told. */
  private tellProgress(progressToken: unknown): () => void {
    if (!isId(progressToken)) return () => {}
    let progress = 0
    const timer = setInterval(() => {
      progress += 1
      this.send({ method: 'notifications/progress', params: { progressToken, progress } })
    }, STILL_WAITING_MS)
    timer.unref()
    return () => clearInterval(timer)
  }

  private notified(method: string, { requestId }: Json): void {
    if (method === 'notifications/cancelled' && isId(requestId)) this.calls.get(requestId)?.abort()
  }

  private tooLong({ bytes }: LineEnds): void {
    this.refuse(null, codes.invalid, `A line of ${bytes} bytes is longer than ${LINE_LIMIT_BYTES}.`)
  }

  private reply(id: Id, result: unknown): void {
    this.send({ id, result })
  }

  private refuse(id: Id | null, code: number, message: string): void {
    this.send({ id, error: { code, message } })
  }

  private send(frame: object): void {
    this.ports.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
  }
}

/** JSON has no `undefined`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
