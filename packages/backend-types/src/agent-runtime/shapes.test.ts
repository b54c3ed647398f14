// What the document's JSON holds comes back as it was: each field, and what is absent.
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { ChannelMessage } from './channel'
import { AgentDeliveryResult, McpMessageTarget, McpSideEffects, ReplyPayload } from './delivery'
import { AgentEvent, AgentExecuteParams, AgentRunResult, AgentUsage, PermissionDenial } from './execute'

const usage = { inputTokens: 9, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 1 }
const denial = { tool: 'Bash', reason: 'Nobody is here to allow it.' }
const run = {
  text: 'Hello.',
  sessionId: 'b-1',
  durationMs: 7.5,
  usage,
  aborted: false,
  totalCostUsd: 0.5,
  apiDurationMs: 4,
  numTurns: 2,
  stopReason: 'end_turn',
  errorSubtype: 'error_max_turns',
  permissionDenials: [denial],
}
const target = { tool: 'telegram_send', provider: 'telegram', accountId: 'a', to: 'chat-1' }
const mcp = { sentTexts: ['Hi.'], sentMediaUrls: ['https://x.example/a.png'], sentTargets: [target], cronAdds: 0 }
const payload = { text: 'Hello.', mediaUrl: 'u', mediaUrls: ['u', 'v'], replyToId: 'm-1', isError: true }
const message = {
  id: 'm-2',
  text: 'Go on.',
  from: 'ana',
  channelId: 'chat-1',
  provider: 'telegram',
  timestamp: 1_700_000_000_000,
  replyToId: 'm-1',
  mediaUrls: ['u'],
  userName: 'Ana',
  metadata: { thread: 3 },
}
const params = {
  prompt: 'Fix it.',
  systemPrompt: 'Be brief.',
  sessionId: 'b-1',
  mcpServers: { sums: { command: 'node', args: ['sums.mjs'], env: { B: '2' } } },
  workingDirectory: '/w',
  env: { A: '1' },
}

describe('the shapes of the document', () => {
  it.each<[string, z.ZodType, object]>([
    ['AgentExecuteParams', AgentExecuteParams, params],
    ['AgentUsage', AgentUsage, usage],
    ['PermissionDenial', PermissionDenial, denial],
    ['AgentRunResult', AgentRunResult, run],
    ['McpMessageTarget', McpMessageTarget, target],
    ['McpSideEffects', McpSideEffects, mcp],
    ['ReplyPayload', ReplyPayload, payload],
    ['AgentDeliveryResult', AgentDeliveryResult, { payloads: [payload], run, mcp, error: 'It took too long.' }],
    ['ChannelMessage', ChannelMessage, message],
    ['text', AgentEvent, { type: 'text', text: 'Hello.' }],
    ['tool_use', AgentEvent, { type: 'tool_use', toolName: 'Bash', toolId: 'c', input: { command: 'ls' } }],
    ['tool_result', AgentEvent, { type: 'tool_result', toolId: 'c', output: 'a.txt', isError: true }],
    ['error', AgentEvent, { type: 'error', message: 'It failed.', code: 'BACKEND_ERROR' }],
    ['done', AgentEvent, { type: 'done', result: run }],
  ])('%s has every field, and keeps it', (_name, shape, whole) => {
    expect(shape.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
  })

  it('have no other events, and an event that lacks a field is none', () => {
    for (const wrong of [{ type: 'thinking', text: 'Hm.' }, { type: 'text' }, { type: 'done' }])
      expect(AgentEvent.safeParse(wrong).success).toBe(false)
  })

  it('has its empty values where nothing was sent: lists and 0, never absent', () => {
    expect(McpSideEffects.safeParse({}).success).toBe(false)
    const nothing = { sentTexts: [], sentMediaUrls: [], sentTargets: [], cronAdds: 0 }
    expect(McpSideEffects.parse(nothing)).toEqual(nothing)
  })
})
