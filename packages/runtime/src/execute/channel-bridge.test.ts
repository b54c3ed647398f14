import type { AgentExecuteParams, AgentRunResult, ReplyPayload } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { ChannelBridge, type ChannelPorts } from './channel-bridge'
import type { RunNews } from './run-news'

const run: AgentRunResult = { text: 'One', durationMs: 1, aborted: false }
const done = (over: Partial<AgentRunResult> = {}): RunNews => ({
  kind: 'event',
  event: { type: 'done', result: { ...run, ...over } },
})

function bridge(news: RunNews[], more: Partial<ChannelPorts> = {}) {
  const asked: AgentExecuteParams[] = []
  const runtime = {
    async *follow(params: AgentExecuteParams) {
      asked.push(params)
      yield* news
    },
  }
  return { asked, bridge: new ChannelBridge({ runtime, ...more }) }
}

describe('[EXEC-5] a message of a channel', () => {
  it('[EXEC-5.1] is the prompt, and what happens is told in order: pieces, blocks, results of tools', async () => {
    const told: Array<[string, ReplyPayload]> = []
    const note = (name: string) => (payload: ReplyPayload) => void told.push([name, payload])
    const { asked, bridge: channel } = bridge([
      { kind: 'piece', blockId: 'b', text: 'On' },
      { kind: 'taken_back', blockId: 'b' },
      { kind: 'event', event: { type: 'text', text: 'One' }, blockId: 'b' },
      { kind: 'event', event: { type: 'tool_use', toolName: 'Bash', toolId: 'c', input: {} } },
      { kind: 'event', event: { type: 'tool_result', toolId: 'c', output: 'no', isError: true } },
      done(),
    ])
    const callbacks = { onPartialReply: note('piece'), onBlockReply: note('block'), onToolResult: note('result') }
    await channel.handle({ text: 'go' }, callbacks, { sessionId: 's' })
    expect(asked).toEqual([{ prompt: 'go', sessionId: 's' }])
    expect(told).toEqual([
      ['piece', { text: 'On' }],
      ['block', { text: 'One' }],
      ['result', { text: 'no', isError: true }],
    ])
  })

  it('[EXEC-5.2] has its result once: the text as one payload or none, and no side effects where no tool counted any', async () => {
    const mcp = { sentTexts: [], sentMediaUrls: [], sentTargets: [], cronAdds: 0 }
    expect(await bridge([done()]).bridge.handle({ text: 'go' })).toEqual({ payloads: [{ text: 'One' }], run, mcp })
    expect((await bridge([done({ text: '' })]).bridge.handle({ text: 'go' })).payloads).toEqual([])
  })

  it('[EXEC-5.2] has the side effects that the tools of its session counted, asked once', async () => {
    let asked = 0
    const mcp = { sentTexts: ['hi'], sentMediaUrls: [], sentTargets: [{ tool: 't', provider: 'p' }], cronAdds: 0 }
    const sideEffects = () => {
      asked += 1
      return mcp
    }
    expect((await bridge([done()], { sideEffects }).bridge.handle({ text: 'go' })).mcp).toEqual(mcp)
    expect(asked).toBe(1)
  })

  it('[EXEC-5.2] has a sentence where the run went wrong', async () => {
    const error: RunNews = { kind: 'event', event: { type: 'error', message: 'It broke.', code: 'BACKEND_ERROR' } }
    const result = await bridge([error, done({ errorSubtype: 'BACKEND_ERROR' })]).bridge.handle({ text: 'go' })
    expect(result.error).toBe('It broke.')
  })

  it('[EXEC-5.3] goes on where a callback fails, and says so', async () => {
    const failed: unknown[] = []
    const { bridge: channel } = bridge([{ kind: 'event', event: { type: 'text', text: 'One' } }, done()], {
      callbackFailed: (error) => void failed.push(error),
    })
    const gone = new Error('the channel is gone')
    const result = await channel.handle({ text: 'go' }, { onBlockReply: () => Promise.reject(gone) })
    expect([result.run, failed]).toEqual([run, [gone]])
  })
})
