import { ownTools } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import { listedTools } from './catalogue'
import { McpServer, protocolVersions, type ToolResult } from './mcp-server'

interface Call {
  tool: string
  input: unknown
  withdrawn: AbortSignal
  answer(result: ToolResult): void
}

let said: Array<Record<string, unknown>>
let calls: Call[]
let server: McpServer
beforeEach(() => {
  said = []
  calls = []
  server = new McpServer({
    software: { name: 'roundhouse', version: '1' },
    tools: listedTools,
    write: (line) => said.push(JSON.parse(line)),
    call: (tool, input, withdrawn) => new Promise((answer) => calls.push({ tool, input, withdrawn, answer })),
  })
})

function hear(...frames: unknown[]): void {
  const lines = frames.map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)))
  server.push(Buffer.from(lines.map((line) => `${line}\n`).join('')))
}
const request = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const callOf = (name: string, id = 1) => request('tools/call', { name, arguments: { a: 1 } }, id)
const codeOf = (frame: Record<string, unknown> | undefined) => (frame?.error as { code?: number })?.code

describe('the MCP server of a session', () => {
  const offers: Array<[string, string]> = protocolVersions.map((version) => [version, version])
  it.each([...offers, ['2099-01-01', protocolVersions[0]]])(
    'asked for version %s offers %s',
    (protocolVersion, offered) => {
      hear(request('initialize', { protocolVersion }), { jsonrpc: '2.0', method: 'notifications/initialized' })
      expect(said).toMatchObject([{ id: 1, result: { protocolVersion: offered, capabilities: { tools: {} } } }])
    },
  )

  it('lists each tool that the host answers, with what it takes', () => {
    hear(request('tools/list'))
    const { tools } = (said[0] as { result: { tools: typeof listedTools } }).result
    expect(tools.map(({ name }) => name)).toEqual(ownTools)
    for (const { description, inputSchema } of tools) {
      expect(description).not.toBe('')
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  it('passes calls on, several at once, and answers each under its own id', async () => {
    hear(callOf('complete', 7), callOf('read_commands', 8))
    expect(calls.map(({ tool, input }) => [tool, input])).toEqual([
      ['complete', { a: 1 }],
      ['read_commands', { a: 1 }],
    ])
    calls[1]?.answer({ text: '{"code":"X"}', isError: true })
    await Promise.resolve()
    calls[0]?.answer({ text: '{}', isError: false })
    await Promise.resolve()
    expect(said).toEqual([
      { jsonrpc: '2.0', id: 8, result: { content: [{ type: 'text', text: '{"code":"X"}' }], isError: true } },
      { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: '{}' }] } },
    ])
  })

  it('withdraws a call that was cancelled, and does not answer it', async () => {
    hear(callOf('read_commands', 3), { method: 'notifications/cancelled', params: { requestId: 3 } })
    expect(calls[0]?.withdrawn.aborted).toBe(true)
    calls[0]?.answer({ text: '{}', isError: false })
    await Promise.resolve()
    expect(said).toEqual([])
  })

  it('withdraws what is open where its client is gone', () => {
    hear(callOf('read_commands'))
    server.end()
    expect(calls[0]?.withdrawn.aborted).toBe(true)
  })

  it.each([
    ['no JSON', 'garbage', -32_700],
    ['a number', '5', -32_600],
    ['no method', { id: 1 }, -32_600],
    ['an id that is none', { id: {}, method: 'ping' }, -32_600],
    ['a method that is none', request('resources/list'), -32_601],
    ['a tool that is none', callOf('stop_session'), -32_602],
    ['a tool of an object', request('tools/call', { name: {} }), -32_602],
    ['a long batch', JSON.stringify(Array.from({ length: 65 }, () => request('ping'))), -32_600],
    ['10 MB', 'x'.repeat(10 * 1024 * 1024), -32_600],
  ])('answers %s by a code, and the next request as usual', (_what, frame, code) => {
    hear(frame, request('ping', {}, 'next'))
    expect(said).toHaveLength(2)
    expect(codeOf(said[0])).toBe(code)
    expect(said[1]).toMatchObject({ id: 'next', result: {} })
    expect(calls).toEqual([])
  })

  it('does not take two calls of one id', () => {
    hear(callOf('complete', 1), callOf('complete', 1))
    expect([calls.length, codeOf(said[0])]).toEqual([1, -32_600])
  })
})
