import type { Capabilities } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Spec } from '../contract/spec'
import { mcpConfigOf, optionsOf, requireSupported } from './to-options'

const spec: Spec = { prompt: 'go', cwd: '/w', env: {}, autonomous: false, sandboxEnabled: false }
const place = { sessionId: 's', isBlocked: (name: string) => name.startsWith('ROUNDHOUSE_') }
const nothing = { humanLabel: 'None' } as Capabilities

const optionsFor = (over: Partial<Spec>) => optionsOf({ ...spec, ...over }, place).options

describe('optionsOf', () => {
  it.each<[string, Partial<Spec>, object]>([
    ['the folder and the environment', { cwd: '/x', env: { A: '1' } }, { workDir: '/x', env: { A: '1' } }],
    ['the sandbox', { sandboxEnabled: true, sandboxLevel: 'read-only' }, { sandbox: 'read-only' }],
    ['model and effort', { model: 'm', effort: 'xhigh' }, { model: 'm', thinking: 'xhigh' }],
    [
      'allowed tools, with those of MCP servers',
      { allowedTools: ['A'], mcpToolNames: ['B', 'A'] },
      { allowedTools: ['A', 'B'] },
    ],
    [
      'what its program alone knows, with the number of turns',
      { providerConfig: { a: 1 }, maxTurns: 3 },
      { providerConfig: { a: 1, maxTurns: 3 } },
    ],
    ['refused tools', { disallowedTools: ['A'] }, { disallowedTools: ['A'] }],
    [
      'both kinds of instructions',
      { baseInstructions: 'One.', systemPromptAppend: 'Two.' },
      { systemPrompt: 'One.\n\nTwo.' },
    ],
  ])('passes on %s', (_what, over, expected) => {
    expect(optionsFor(over)).toEqual({ sessionId: 's', workDir: '/w', env: {}, ...expected })
  })

  it('takes no sandbox level without sandboxEnabled, and never more than the careful default from a missing word', () => {
    expect(optionsFor({ sandboxLevel: 'full-access' })).not.toHaveProperty('sandbox')
    expect(optionsFor({ sandboxEnabled: true })).not.toHaveProperty('sandbox')
  })

  it('names the variables that no program gets', () => {
    const found = optionsOf({ ...spec, env: { A: '1', ROUNDHOUSE_SESSION: 'x' } }, place)
    expect(found).toMatchObject({ options: { env: { A: '1' } }, blocked: ['ROUNDHOUSE_SESSION'] })
  })
})

describe('requireSupported', () => {
  it.each<[Partial<Spec>, object]>([
    [{ allowedTools: ['A'] }, { capability: 'accepts_allowed_tools_list' }],
    [{ mcpToolNames: ['A'] }, { capability: 'accepts_allowed_tools_list' }],
    [{ mcpStdioServers: [{ name: 'x', command: 'y' }] }, { capability: 'tool_plugins' }],
    [{ effort: 'low' }, { capability: 'reasoning_effort' }],
    [{ baseInstructions: 'x' }, { capability: 'base_instructions' }],
    [{ permissionConfig: {} }, { capability: 'permission_config' }],
    [
      { codeIntelligenceEnforcement: { enforceUsage: true, fallbackAfterAttempt: true } },
      { capability: 'code_intel_enforcement' },
    ],
    [{ subAgentProvider: 'codex' }, { field: 'subAgentProvider' }],
  ])('refuses %o', (over, details) => {
    const asking = () => requireSupported({ ...spec, ...over }, nothing, 'claude')
    expect(asking).toThrow(expect.objectContaining({ code: 'UNSUPPORTED', details }))
  })

  it('takes what is not set', () => {
    const unset: Partial<Spec> = {
      allowedTools: [],
      mcpStdioServers: [],
      effort: '',
      subAgentProvider: 'claude',
    }
    expect(() => requireSupported({ ...spec, ...unset }, nothing, 'claude')).not.toThrow()
  })
})

describe('mcpConfigOf', () => {
  it('writes servers of both kinds in the usual shape', () => {
    const config = mcpConfigOf([
      { name: 'a', command: 'node', args: ['x'], env: { B: '1' } },
      { name: 'b', type: 'http', url: 'http://127.0.0.1/', headers: { C: '2' } },
    ])
    expect(JSON.parse(config ?? '')).toEqual({
      mcpServers: {
        a: { command: 'node', args: ['x'], env: { B: '1' } },
        b: { type: 'http', url: 'http://127.0.0.1/', headers: { C: '2' } },
      },
    })
  })

  it('is nothing without servers', () => {
    expect([mcpConfigOf(), mcpConfigOf([])]).toEqual([null, null])
  })

  it.each([
    [{ name: 'a' }, 'The MCP server a has no command.'],
    [{ name: 'b', type: 'http', command: 'x' } as const, 'The MCP server b has no url.'],
  ])('refuses %o', (server, message) => {
    expect(() => mcpConfigOf([server])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message }))
  })
})
