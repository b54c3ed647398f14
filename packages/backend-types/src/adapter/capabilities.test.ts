import { describe, expect, it } from 'vitest'
import { Capabilities, type Capability, capabilityNames, capabilityRows, isSupported } from './capabilities'
import { BackendManifestEntry } from './manifest'

const nothing: Capabilities = {
  supportsMessageInjection: false,
  supportsSessionResume: false,
  emitsSubagentEvents: false,
}

describe('the capabilities of the public package', () => {
  const written = [
    '{"supportsMessageInjection":false,"supportsSessionResume":false,"emitsSubagentEvents":false}',
    '{"supportsMessageInjection":false,"supportsSessionResume":true,"supportsToolPlugins":true,"emitsSubagentEvents":true,"supportsReasoningEffort":true,"toolPermissionFormat":"claude","acceptsAllowedToolsList":true,"acceptsMcpServerSpec":true,"humanLabel":"Claude"}',
    '{"supportsMessageInjection":true,"supportsSessionResume":true,"needsBaseInstructions":true,"needsPermissionConfig":false,"supportsCodeIntelligenceEnforcement":true,"emitsSubagentEvents":false,"toolPermissionFormat":"spring-ai"}',
  ]
  it.each(written)('[CAP-1.1] are written again as they were read: %s', (json) => {
    expect(JSON.stringify(Capabilities.parse(JSON.parse(json)))).toBe(json)
  })

  it('[CAP-1.2] name any grammar of tools, also one that nobody knows here', () => {
    const held = { ...nothing, toolPermissionFormat: 'next-year' }
    expect(Capabilities.parse(held)).toEqual(held)
    expect([held, nothing].map((one) => isSupported(one, 'tool_perm_format_claude'))).toEqual([false, false])
    expect(isSupported({ ...held, toolPermissionFormat: 'claude' }, 'tool_perm_format_claude')).toBe(true)
  })

  it.each<[Capability, keyof Capabilities]>([
    ['message_injection', 'supportsMessageInjection'],
    ['session_resume', 'supportsSessionResume'],
    ['tool_plugins', 'supportsToolPlugins'],
    ['base_instructions', 'needsBaseInstructions'],
    ['permission_config', 'needsPermissionConfig'],
    ['code_intel_enforcement', 'supportsCodeIntelligenceEnforcement'],
    ['subagent_events', 'emitsSubagentEvents'],
    ['reasoning_effort', 'supportsReasoningEffort'],
    ['accepts_allowed_tools_list', 'acceptsAllowedToolsList'],
    ['accepts_mcp_server_spec', 'acceptsMcpServerSpec'],
  ])('[CAP-1.3] %s is %s, and absent is false', (capability, field) => {
    expect(isSupported({ ...nothing, [field]: true }, capability)).toBe(true)
    expect(isSupported({ ...nothing, [field]: false }, capability)).toBe(false)
    expect(isSupported(nothing, capability)).toBe(false)
  })
})

describe('our own capabilities', () => {
  it('[CAP-1.4] that are younger than the first programs hold unless a program denies them', () => {
    const young = capabilityNames.filter((name) => isSupported(nothing, name))
    expect(young).toEqual(['folders', 'output_limit', 'window_report', 'usage_report'])
    const denied = { ...nothing, acceptsFolders: false, limitsOutput: false, reportsWindow: false, reportsUsage: false }
    expect(young.filter((name) => isSupported(denied, name))).toEqual([])
  })

  it('have a name for every yes-or-no fact', () => {
    const isFlag = (field: string) => Capabilities.safeParse({ ...nothing, [field]: true }).success
    const flags = Object.keys(Capabilities.shape).filter(isFlag)
    expect(Object.values(capabilityRows).map(({ flag }) => flag)).toEqual(expect.arrayContaining(flags))
    expect(Object.keys(capabilityRows)).toHaveLength(flags.length)
  })
})

it('[CAP-1.5] a manifest entry without a fact, or without the accepted values, is one', () => {
  const entry = { kind: 'kilo', label: 'Kilo', installed: true, models: [], modes: [], sandboxes: [] }
  expect(BackendManifestEntry.parse({ ...entry, capabilities: nothing })).toEqual({ ...entry, capabilities: nothing })
})
