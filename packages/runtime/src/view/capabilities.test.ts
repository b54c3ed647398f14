import type { Capabilities } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type CapabilityName, requireCapability } from './capabilities'

const flags: Record<CapabilityName, Partial<Capabilities>> = {
  message_injection: { supportsMessageInjection: true },
  session_resume: { supportsSessionResume: true },
  tool_plugins: { supportsToolPlugins: true },
  base_instructions: { needsBaseInstructions: true },
  permission_config: { needsPermissionConfig: true },
  code_intel_enforcement: { supportsCodeIntelligenceEnforcement: true },
  subagent_events: { emitsSubagentEvents: true },
  reasoning_effort: { supportsReasoningEffort: true },
  tool_perm_format_claude: { toolPermissionFormat: 'claude' },
  accepts_allowed_tools_list: { acceptsAllowedToolsList: true },
  accepts_mcp_server_spec: { acceptsMcpServerSpec: true },
}
const names = Object.keys(flags) as CapabilityName[]

describe('a capability', () => {
  it.each(names)('%s is its own flag, and no other', (name) => {
    const held = names.filter((flag) => {
      try {
        requireCapability(flags[flag] as Capabilities, name, 'x')
        return true
      } catch {
        return false
      }
    })
    expect(held).toEqual([name])
  })
})
