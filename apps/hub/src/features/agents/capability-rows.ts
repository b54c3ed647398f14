/** What a backend can do, in people's words. Exhaustive: a new capability will not compile until it has its words. Pure. */
import type { Capabilities, Capability } from '@roundhouse/backend-types'

const labels: Record<Capability, string> = {
  supportsPermissions: 'asks before it acts',
  supportsEditedInput: 'an allow may change the input',
  supportsDenyReason: 'reads the reason of a refusal',
  supportsInterrupt: 'a turn can be stopped',
  supportsMessageInjection: 'a running turn can be steered',
  supportsSessionResume: 'continues a conversation after a stop',
  enforcesSandbox: 'the operating system enforces the sandbox',
  reportsCost: 'reports its cost',
  emitsSubagentEvents: 'shows what sub-agents do',
  supportsReasoningEffort: 'thinking can be set',
  supportsToolPlugins: 'takes tools of others',
  acceptsAllowedToolsList: 'takes a list of allowed tools',
  acceptsMcpServerSpec: 'takes MCP servers',
  needsBaseInstructions: 'needs base instructions',
  needsPermissionConfig: 'needs its permissions configured',
  supportsCodeIntelligenceEnforcement: 'enforces code intelligence',
}

export interface CapabilityRow {
  label: string
  yes: boolean
}

export function capabilityRows(capabilities: Capabilities): CapabilityRow[] {
  return (Object.entries(labels) as Array<[Capability, string]>).map(([name, label]) => ({
    label,
    yes: capabilities[name],
  }))
}
