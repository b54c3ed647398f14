import { describe, expect, it } from 'vitest'
import { planLaunch } from './launch'
import { type ProviderConfig, providerIntroduction, readProviderConfig } from './provider-config'

const launch = (given: Record<string, unknown>, trustProjectConfig = false) =>
  planLaunch({
    options: { sessionId: 's' },
    env: {},
    workDir: '/w',
    session: { kind: 'new', id: 'x' },
    trustProjectConfig,
    config: readProviderConfig(given, trustProjectConfig),
  })

describe('what the SDK of Claude Code knows and the contract does not', () => {
  it.each<[keyof ProviderConfig, unknown, string]>([
    ['maxTurns', 3, '--max-turns=3'],
    ['maxBudgetUsd', 0.5, '--max-budget-usd=0.5'],
    ['fallbackModel', 'haiku', '--fallback-model=haiku'],
    ['betas', ['a', 'b'], '--betas=a,b'],
    ['settingSources', [], '--setting-sources='],
    ['enableFileCheckpointing', true, '--replay-user-messages'],
  ])('%s %j is a flag: %s', (name, value, flag) => {
    expect(launch({}).args).not.toContain(flag)
    expect(launch({ [name]: value }).args).toContain(flag)
  })

  it('partial messages come unless the caller wants none', () => {
    expect(launch({}).args).toContain('--include-partial-messages')
    expect(launch({ includePartialMessages: false }).args).not.toContain('--include-partial-messages')
  })

  it('its sandbox stands beside our own settings, and cannot take their place', () => {
    const { args } = launch({ sandbox: { enabled: true } })
    const settings = args.find((arg) => arg.startsWith('--settings='))?.slice('--settings='.length) ?? ''
    expect(JSON.parse(settings)).toEqual({
      disableAutoMode: 'disable',
      useAutoModeDuringPlan: false,
      sandbox: { enabled: true },
    })
  })

  it('long texts are told in the first request, beside the process list', () => {
    const agents = { helper: { description: 'helps', prompt: 'Help.' } }
    expect(providerIntroduction({ systemPrompt: 'You add.', agents, outputSchema: { type: 'object' } })).toEqual({
      forwardSubagentText: true,
      systemPrompt: 'You add.',
      agents,
      jsonSchema: { type: 'object' },
    })
    expect(providerIntroduction({ forwardSubagentText: false })).toEqual({})
  })

  it('[POL-5] settings of the repository are loaded only on a machine that trusts it', () => {
    const refused = expect.objectContaining({ code: 'POLICY_DENIED', details: { rule: 'trustProjectConfig' } })
    expect(() => launch({ settingSources: ['user', 'project'] })).toThrow(refused)
    expect(launch({ settingSources: ['user', 'local'] }, true).args).toContain('--setting-sources=user,local')
    expect(launch({ settingSources: ['user'] }, true).args).toContain('--setting-sources=user')
  })

  it.each([
    ['UNSUPPORTED', { extraArgs: {} }],
    ['UNSUPPORTED', { toString: {} }],
    ['INVALID_ARGUMENT', { maxTurns: '3' }],
    ['INVALID_ARGUMENT', { maxTurns: 0 }],
    ['INVALID_ARGUMENT', { betas: [7] }],
    ['INVALID_ARGUMENT', { hooks: { Stop: 'all' } }],
    ['INVALID_ARGUMENT', { hooks: [] }],
    ['INVALID_ARGUMENT', { sandbox: 'on' }],
  ])('%s: %j is refused, and not dropped', (code, given) => {
    expect(() => readProviderConfig(given)).toThrow(expect.objectContaining({ code }))
  })
})
