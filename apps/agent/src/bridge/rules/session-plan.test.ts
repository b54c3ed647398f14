import { describe, expect, it } from 'vitest'
import { planSession, readOptions } from './session-plan'

const claude = { label: 'Claude Code', isDirect: true }
const other = { label: 'Codex', isDirect: false }
const plan = (options: object, able = claude) =>
  planSession(readOptions(options as Record<string, unknown>), 'kind', '/code', able)

const defaults = { includePartialMessages: false, forwardSubagentText: false, settingSources: ['user'] }

describe('the options of a session', () => {
  it('that the contract has a field for go there', () => {
    const options = {
      model: 'sonnet',
      permission_mode: 'plan',
      allowed_tools: ['Read'],
      disallowed_tools: ['WebFetch'],
      additional_directories: ['lib', '/other'],
      max_thinking_tokens: 1000,
      system_prompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
      mcp_servers: { sums: { command: 'sums' } },
    }
    expect(plan(options)).toEqual({
      settings: {
        backend: 'kind',
        workDir: '/code',
        model: 'sonnet',
        mode: 'plan',
        allowedTools: ['Read'],
        disallowedTools: ['WebFetch'],
        additionalDirs: ['/code/lib', '/other'],
        maxThinkingTokens: 1000,
        systemPrompt: 'Be brief.',
      },
      providerConfig: defaults,
      mcpServers: { sums: { command: 'sums' } },
      wantsPartial: false,
    })
  })

  it('that it has none for are in the words of the program', () => {
    const options = {
      system_prompt: 'You add numbers.',
      max_turns: 3,
      max_budget_usd: 0.5,
      include_partial_messages: true,
      enable_file_checkpointing: true,
      agents: { helper: { description: 'helps', prompt: 'Help.' } },
      hooks: { PreToolUse: [{ matcher: 'Bash' }] },
      sandbox: { enabled: true },
      setting_sources: ['user', 'project'],
      betas: ['b'],
      output_format: { type: 'json_schema', schema: { type: 'object' } },
      fallback_model: 'haiku',
    }
    expect(plan(options)).toEqual({
      settings: { backend: 'kind', workDir: '/code' },
      providerConfig: {
        includePartialMessages: true,
        forwardSubagentText: false,
        settingSources: ['user', 'project'],
        systemPrompt: 'You add numbers.',
        maxTurns: 3,
        maxBudgetUsd: 0.5,
        enableFileCheckpointing: true,
        betas: ['b'],
        fallbackModel: 'haiku',
        agents: options.agents,
        hooks: options.hooks,
        sandbox: { enabled: true },
        outputSchema: { type: 'object' },
      },
      wantsPartial: true,
    })
  })

  it('that are empty, zero or null are absent, as the document reads them', () => {
    const empty = { model: '', max_turns: 0, hooks: null, include_partial_messages: false, system_prompt: undefined }
    expect(plan(empty)).toEqual(plan({}))
    const lists = { betas: [], allowed_tools: [], additional_directories: [] }
    expect(plan({ ...lists, agents: {}, hooks: {}, mcp_servers: {} }, other)).toEqual(plan({}, other))
    expect(plan({ setting_sources: [] }).providerConfig).toMatchObject({ settingSources: [] })
    expect(readOptions(null)).toEqual({})
  })

  it('a mode that never asks needs the whole machine, unless the client names a level', () => {
    expect(plan({ permission_mode: 'bypassPermissions' }).settings.sandbox).toBe('full-access')
    expect(plan({ permission_mode: 'bypassPermissions', sandbox: 'read-only' }).settings.sandbox).toBe('read-only')
    expect(plan({ permission_mode: 'bypassPermissions' }, other).settings).not.toHaveProperty('sandbox')
  })

  it.each([
    ['nobody knows', { colour: 'red' }, 'There is no option "colour".'],
    ['has the wrong type', { max_turns: 'three' }, expect.stringMatching(/^options\.max_turns: /)],
    ['is half right', { setting_sources: ['user', 'hub'] }, expect.stringMatching(/^options\.setting_sources\.1: /)],
  ])('one that %s is refused', (_what, options, message) => {
    expect(() => plan(options)).toThrow(expect.objectContaining({ message }))
  })
})

describe('the options of a program with another language', () => {
  it.each(['max_turns', 'max_budget_usd'])('%s is refused, since it would have no effect', (option) => {
    expect(() => plan({ [option]: 5 }, other)).toThrow(`Codex has no option ${option}.`)
  })

  it.each([
    { enable_file_checkpointing: true },
    { agents: { helper: { description: 'helps', prompt: 'Help.' } } },
    { hooks: { PreToolUse: [{ matcher: 'Bash' }] } },
    { setting_sources: [] },
    { betas: ['b'] },
    { output_format: { type: 'json_schema', schema: {} } },
    { fallback_model: 'm' },
    { sandbox: { enabled: true } },
  ])('%j is refused as well', (options) => {
    expect(() => plan(options, other)).toThrow('has no option')
  })

  it('a system prompt is added to its own', () => {
    expect(plan({ system_prompt: 'Be brief.', sandbox: 'read-only' }, other)).toEqual({
      settings: { backend: 'kind', workDir: '/code', systemPrompt: 'Be brief.', sandbox: 'read-only' },
      providerConfig: {},
      wantsPartial: false,
    })
  })
})
