// What the document's JSON holds comes back as it was: names, and what is absent.
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { PermissionConfig } from './permission-config'
import { providerNameOf, providerNames } from './provider-name'
import { BackstopReport, CostData, QualityReport, Result } from './result'
import { CodeIntelEnforcement, EffortLevel, MCPServerConfig, SandboxLevel, Spec } from './spec'

const spec = {
  prompt: 'Fix it.',
  cwd: '/w',
  env: { A: '1' },
  autonomous: true,
  sandboxEnabled: true,
  sandboxLevel: 'workspace-write',
  allowedTools: ['Bash(pnpm:*)'],
  disallowedTools: ['WebFetch'],
  mcpStdioServers: [
    { name: 'sums', type: 'stdio', command: 'node', args: ['sums.mjs'], env: { B: '2' } },
    { name: 'hub', type: 'http', url: 'http://127.0.0.1/mcp', headers: { Authorization: 'Bearer x' } },
  ],
  mcpToolNames: ['mcp__sums__add'],
  maxTurns: 0,
  model: 'claude-sonnet-4-5',
  effort: 'xhigh',
  baseInstructions: 'Be brief.',
  systemPromptAppend: 'Be kind.',
  permissionConfig: { allowPatterns: ['Bash(ls:*)'], disallowPatterns: ['Bash(rm:*)'], defaultDecision: 'deny' },
  codeIntelligenceEnforcement: { enforceUsage: true, fallbackAfterAttempt: false },
  providerConfig: { speed: 'fast' },
  subAgentProvider: 'codex',
}
const cost = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, totalCostUsd: 0.25, numTurns: 4 }
const backstopReport = {
  triggered: true,
  pushed: true,
  prCreated: true,
  prUrl: 'https://example.com/1',
  unfilledFields: ['work_result'],
  diagnostics: 'Pushed.',
}
const qualityReport = { baselineCaptured: true, testDelta: -2, typeDelta: 0, lintDelta: 3, blockedPromotion: false }
const result = {
  status: 'completed',
  providerName: 'claude',
  providerSessionId: 's-1',
  worktreePath: '/w',
  pullRequestUrl: 'https://example.com/1',
  commitSha: 'abc',
  summary: 'Done.',
  workResult: 'passed',
  cost,
  failureMode: 'none',
  backstopReport,
  qualityReport,
  error: 'no',
}

/** With every field, and with nothing that may be absent. */
const shapes: Array<[name: string, schema: z.ZodType, full: object, short: object]> = [
  ['Spec', Spec, spec, { prompt: '', cwd: '/w', env: {}, autonomous: false, sandboxEnabled: false }],
  ['Result', Result, result, { status: 'failed', providerName: 'codex' }],
  ['CostData', CostData, cost, {}],
  ['BackstopReport', BackstopReport, backstopReport, { triggered: false }],
  ['QualityReport', QualityReport, qualityReport, { ...qualityReport, baselineCaptured: false }],
  [
    'CodeIntelEnforcement',
    CodeIntelEnforcement,
    spec.codeIntelligenceEnforcement,
    { enforceUsage: false, fallbackAfterAttempt: false },
  ],
  ['MCPServerConfig', MCPServerConfig, spec.mcpStdioServers[0] ?? {}, { name: 'x' }],
  ['PermissionConfig', PermissionConfig, spec.permissionConfig, {}],
]

describe('the JSON of the document', () => {
  it.each(shapes)('%s keeps every field', (_name, schema, full) => {
    expect(JSON.parse(JSON.stringify(schema.parse(full)))).toEqual(full)
  })

  it.each(shapes)('%s leaves absent what is absent', (_name, schema, _full, short) => {
    expect(JSON.stringify(schema.parse(short))).toBe(JSON.stringify(short))
  })

  it('Spec leaves out empty lists and texts, and keeps a maxTurns of 0 and an empty permissionConfig', () => {
    const { prompt, cwd, env, autonomous, sandboxEnabled } = spec
    const least = { prompt, cwd, env, autonomous, sandboxEnabled }
    const empty = { model: '', effort: '', sandboxLevel: '', allowedTools: [], mcpStdioServers: [], providerConfig: {} }
    expect(JSON.stringify(Spec.parse({ ...least, ...empty, maxTurns: 0, permissionConfig: {} }))).toBe(
      JSON.stringify({ ...least, maxTurns: 0, permissionConfig: {} }),
    )
  })

  it('Spec has no callback', () => {
    expect(Spec.parse({ ...spec, onProcessSpawned: () => {} })).toEqual(spec)
  })

  it('Spec reads an env that a Go program left unset', () => {
    expect(Spec.parse({ ...spec, env: null })).toEqual({ ...spec, env: {} })
  })

  it('an MCP server without a type is one of a command', () => {
    expect(MCPServerConfig.parse({ name: 'x', command: 'y', type: '' })).toEqual({ name: 'x', command: 'y' })
  })
})

describe('the words of the document', () => {
  it('are these for efforts, sandboxes and statuses', () => {
    expect(EffortLevel.options).toEqual(['low', 'medium', 'high', 'xhigh'])
    expect(SandboxLevel.options).toEqual(['read-only', 'workspace-write', 'full-access'])
    expect(Result.shape.status.options).toEqual(['completed', 'failed', 'stopped'])
  })

  it('are these for verdicts and decisions, and no others', () => {
    const result = { status: 'completed', providerName: 'claude' }
    const isVerdict = (workResult: string) => Result.safeParse({ ...result, workResult }).success
    expect(['passed', 'failed', 'unknown', 'perhaps'].map(isVerdict)).toEqual([true, true, true, false])
    const isDecision = (defaultDecision: string) => PermissionConfig.safeParse({ defaultDecision }).success
    expect(['allow', 'deny', 'prompt', 'perhaps'].map(isDecision)).toEqual([true, true, true, false])
  })

  it('are these for providers, and stub is the scripted one', () => {
    const names = ['claude', 'codex', 'stub', 'spring-ai', 'a2a', 'amp', 'gemini', 'ollama', 'opencode', 'jules']
    expect(Object.values(providerNames)).toEqual(names)
    expect(['claude', 'scripted', 'kilo'].map(providerNameOf)).toEqual(['claude', 'stub', 'kilo'])
  })
})
