/**
 * Runs the MCP server of a session on stdin and stdout, until its program ends it. It connects to the session host at the first
 * call, and again where that connection ended: a call that may have been taken is repeated under its own id, and counts once.
 */
import { randomUUID } from 'node:crypto'
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import type { ToolCall, ToolClient } from '../tool-contract/client'
import { listedTools } from './catalogue'
import { McpServer, type ToolResult } from './mcp-server'
import { openTools } from './open-tools'

type Env = Readonly<Record<string, string | undefined>>

/** Resolves with the exit code when stdin ends. */
export function runTools(env: Env): Promise<number> {
  const host = new Host(env)
  const server = new McpServer({
    software: { name: 'roundhouse', version: '1' },
    tools: listedTools,
    write: (line) => void process.stdout.write(line),
    call: (tool, input, withdrawn) => host.call(tool, input, withdrawn),
  })
  return new Promise((resolve) => {
    process.stdin.on('data', (chunk: Buffer) => server.push(chunk))
    process.stdin.once('end', () => {
      server.end()
      host.close()
      resolve(0)
    })
  })
}

class Host {
  private client: Promise<ToolClient> | null = null

  constructor(private readonly env: Env) {}

  async call(tool: string, input: unknown, withdrawn: AbortSignal): Promise<ToolResult> {
    const call = { callId: randomUUID(), tool, input }
    try {
      const value = await this.once(call, withdrawn).catch((error) => {
        if (!isLost(error)) throw error
        return this.once(call, withdrawn)
      })
      return { text: JSON.stringify(value), isError: false }
    } catch (error) {
      return refused(error)
    }
  }

  close(): void {
    void this.client?.then((client) => client.close()).catch(() => {})
  }

  private async once(call: ToolCall, withdrawn: AbortSignal): Promise<unknown> {
    this.client ??= openTools(this.env)
    const { client } = this
    try {
      return await (await client).call(call, withdrawn)
    } catch (error) {
      if (isLost(error) && this.client === client) this.client = null
      throw error
    }
  }
}

const isLost = (error: unknown): boolean => error instanceof CodedError && error.code === 'NOT_RUNNING'

/** The model reads the code and the sentence. */
function refused(error: unknown): ToolResult {
  const { code, message, details } = toCodedError(error).toBody()
  return { text: JSON.stringify({ error: { code, message, ...(details ? { details } : {}) } }), isError: true }
}
