/** The document's names of capabilities, and what each one is among the facts of an adapter. */
import { type Capabilities, CodedError } from '@roundhouse/backend-types'

const table = {
  message_injection: (caps) => caps.supportsMessageInjection,
  session_resume: (caps) => caps.supportsSessionResume,
  tool_plugins: (caps) => caps.supportsToolPlugins,
  base_instructions: (caps) => caps.needsBaseInstructions,
  permission_config: (caps) => caps.needsPermissionConfig,
  code_intel_enforcement: (caps) => caps.supportsCodeIntelligenceEnforcement,
  subagent_events: (caps) => caps.emitsSubagentEvents,
  reasoning_effort: (caps) => caps.supportsReasoningEffort,
  tool_perm_format_claude: (caps) => caps.toolPermissionFormat === 'claude',
  accepts_allowed_tools_list: (caps) => caps.acceptsAllowedToolsList,
  accepts_mcp_server_spec: (caps) => caps.acceptsMcpServerSpec,
} satisfies Record<string, (caps: Capabilities) => boolean>

export type CapabilityName = keyof typeof table

export function requireCapability(caps: Capabilities, capability: CapabilityName, name: string): void {
  if (table[capability](caps)) return
  throw new CodedError('UNSUPPORTED', `The provider ${name} has no ${capability}.`, { capability })
}
