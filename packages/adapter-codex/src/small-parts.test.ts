/** The small pure parts: replies, MCP files, manifest entries and errors. */

import { RpcError } from '@roundhouse/adapter-kit'
import { describe, expect, it } from 'vitest'
import { entryOf } from './program/manifest'
import { mcpServersOf } from './program/mcp-config'
import { type Ask, type AskKind, abortNeedsInterrupt, replyTo } from './translate/asks'
import { threadErrorOf, turnErrorOf } from './translate/turn-errors'

const ask = (kind: AskKind, input: unknown = {}): Ask => ({
  id: 1,
  kind,
  threadId: 'T',
  turnId: 'U',
  madeUp: false,
  request: { callId: 'c', toolName: 't', input },
})
const decisions = { allow: 'allow', allow_session: 'allow_session', deny: 'deny', abort: 'abort' } as const

describe('replyTo', () => {
  const permissions = { network: { enabled: true } }
  const table: Record<AskKind, Record<keyof typeof decisions, unknown>> = {
    command: decisions('accept', 'decline', 'cancel'),
    file: decisions('accept', 'decline', 'cancel'),
    mcp: actions(),
    form: actions(),
    question: { allow: { answers: {} }, allow_session: { answers: {} }, deny: { answers: {} }, abort: { answers: {} } },
    permissions: {
      allow: { permissions, scope: 'turn' },
      allow_session: { permissions, scope: 'turn' },
      deny: { permissions: {}, scope: 'turn' },
      abort: { permissions: {}, scope: 'turn' },
    },
  }
  const rows = Object.entries(table).flatMap(([kind, replies]) =>
    Object.entries(replies).map(
      ([decision, result]) => [kind as AskKind, decision as keyof typeof decisions, result] as const,
    ),
  )
  it.each(rows)('[PERM-5] %s, %s: a grant is never told to Codex', (kind, decision, result) => {
    expect(replyTo(ask(kind, { permissions }), { callId: 'c', decision })).toEqual({ ok: true, result })
  })

  it.each(Object.keys(table) as AskKind[])('[PERM-4] %s: nobody answered is an error, not a refusal', (kind) => {
    expect(replyTo(ask(kind), { callId: 'c', decision: 'deny', unanswered: true })).toEqual({
      ok: false,
      code: -32_000,
      message: 'Nobody answered.',
    })
  })

  it('the answers of a person reach the question and the form', () => {
    const updatedInput = { answers: { q1: 'Red', q2: ['A', 'B'] }, content: { name: 'Ana' } }
    const decision = { callId: 'c', decision: 'allow', updatedInput } as const
    expect(replyTo(ask('question'), decision)).toEqual({
      ok: true,
      result: { answers: { q1: { answers: ['Red'] }, q2: { answers: ['A', 'B'] } } },
    })
    expect(replyTo(ask('form'), decision)).toEqual({
      ok: true,
      result: { action: 'accept', content: { name: 'Ana' }, _meta: null },
    })
  })

  it('an abort also ends the turn where the reply alone does not', () => {
    const needs = (kind: AskKind, main: string) => abortNeedsInterrupt(ask(kind), main)
    expect([needs('command', 'T'), needs('file', 'T'), needs('mcp', 'T'), needs('command', 'other')]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  function decisions(accept: string, decline: string, cancel: string) {
    return {
      allow: { decision: accept },
      allow_session: { decision: accept },
      deny: { decision: decline },
      abort: { decision: cancel },
    }
  }
  function actions() {
    const accepted = { action: 'accept', content: {}, _meta: null }
    const not = (action: string) => ({ action, content: null, _meta: null })
    return { allow: accepted, allow_session: accepted, deny: not('decline'), abort: not('cancel') }
  }
})

describe('mcpServersOf', () => {
  it('puts stdio and http servers into the words of Codex', () => {
    const file = {
      mcpServers: {
        local: { type: 'stdio', command: 'node', args: ['a.mjs'], env: { KEY: 'v' } },
        remote: { type: 'http', url: 'https://example.org/mcp', headers: { authorization: 'x' } },
      },
    }
    expect(mcpServersOf(JSON.stringify(file))).toEqual({
      local: { command: 'node', args: ['a.mjs'], env: { KEY: 'v' } },
      remote: { url: 'https://example.org/mcp', http_headers: { authorization: 'x' } },
    })
  })

  it.each(['not json', '{"mcpServers":{"a":{}}}'])('%s is INVALID_ARGUMENT', (text) => {
    expect(() => mcpServersOf(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})

describe('entryOf', () => {
  const efforts = [{ reasoningEffort: 'low', description: 'Fast' }, { reasoningEffort: 'high' }]
  const models = {
    data: [
      {
        model: 'gpt-5.5',
        displayName: 'GPT-5.5',
        description: 'd',
        isDefault: true,
        supportedReasoningEfforts: efforts,
      },
    ],
  }
  const initialize = { userAgent: 'roundhouse/0.169.0 (Debian 12.0.0; x86_64) dumb' }

  it('with OpenAI lists the catalogue and its efforts', () => {
    expect(entryOf({ initialize, models, config: { config: { model: null, model_provider: null } } })).toMatchObject({
      version: '0.169.0',
      models: [{ code: 'gpt-5.5', label: 'GPT-5.5', description: 'd', default: true }],
      thinkingOptions: [
        { code: 'low', label: 'low', description: 'Fast' },
        { code: 'high', label: 'high' },
      ],
    })
  })

  it('with another provider lists only the model that is configured', () => {
    const entry = entryOf({ initialize, models, config: { config: { model: 'local-7b', model_provider: 'ollama' } } })
    expect(entry.models).toEqual([{ code: 'local-7b', label: 'local-7b', default: true }])
    expect(entry.thinkingOptions).toBeUndefined()
  })
})

describe('errors', () => {
  it.each([
    ['usageLimitExceeded', 'BACKEND_QUOTA'],
    ['serverOverloaded', 'BACKEND_OVERLOADED'],
    ['unauthorized', 'BACKEND_AUTH'],
    ['contextWindowExceeded', 'CONVERSATION_TOO_LONG'],
    [{ responseStreamDisconnected: { httpStatusCode: 429 } }, 'BACKEND_QUOTA'],
    [{ httpConnectionFailed: { httpStatusCode: 503 } }, 'BACKEND_OVERLOADED'],
    [{ httpConnectionFailed: { httpStatusCode: null } }, 'BACKEND_ERROR'],
    [{ novelty: 1 }, 'BACKEND_ERROR'],
    [null, 'BACKEND_ERROR'],
  ])('%j is %s', (codexErrorInfo, code) => {
    expect(turnErrorOf({ message: 'm', codexErrorInfo })).toEqual({ code, message: 'm' })
  })

  it.each([
    "The requested model 'no-such' does not exist.",
    '{"detail":"The \'no-such\' model is not supported when using Codex with a ChatGPT account."}',
  ])('[CAP-4.6] a model that the service does not have is named in a sentence: %s', (message) => {
    const { code, message: said } = turnErrorOf({ message, codexErrorInfo: 'other' })
    expect([code, said]).toEqual(['MODEL_UNAVAILABLE', expect.stringMatching(/^The .*no-such.*\.$/)])
    expect(turnErrorOf({ message: '{"broken', codexErrorInfo: 'other' })).toEqual({
      code: 'BACKEND_ERROR',
      message: '{"broken',
    })
  })

  it('[RES-5] only an unknown id is RESUME_UNAVAILABLE, and only when resuming', () => {
    const unknown = new RpcError('thread/resume', -32_600, 'no rollout found for thread id 01a1')
    const other = new RpcError('thread/resume', -32_600, 'failed to load configuration')
    const codes = [threadErrorOf(unknown, true), threadErrorOf(other, true), threadErrorOf(unknown, false)]
    expect(codes.map(({ code }) => code)).toEqual(['RESUME_UNAVAILABLE', 'BACKEND_ERROR', 'BACKEND_ERROR'])
  })

  it('[RES-9] a conversation that another Codex has open is said to be that', () => {
    const open = new RpcError('thread/resume', -32_600, 'thread 01a2 already has an active writer')
    const { code, message } = threadErrorOf(open, true)
    expect([code, message]).toEqual(['ALREADY_RUNNING', expect.stringMatching(/open in another Codex/)])
  })
})
