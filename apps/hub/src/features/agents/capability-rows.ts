/**
 * Describes a backend's capabilities for people. Exhaustive: a new capability does not compile until it has a text. Pure.
 */
import type { Capabilities, Capability } from '@roundhouse/backend-types'

const labels: Record<Capability, string> = {
  supportsPermissions: 'asks before it acts',
  supportsEditedInput: 'input can be edited before it is allowed',
  supportsDenyReason: 'reads the reason for a denial',
  supportsInterrupt: 'a turn can be stopped',
  supportsMessageInjection: 'a running turn can be steered',
  supportsSessionResume: 'continues a conversation after a stop',
  enforcesSandbox: 'the operating system enforces the sandbox',
  reportsCost: 'reports its cost',
  emitsSubagentEvents: 'shows the work of sub-agents',
  supportsReasoningEffort: 'thinking level can be set',
  supportsToolPlugins: 'accepts tool plugins',
  acceptsAllowedToolsList: 'accepts a list of allowed tools',
  acceptsMcpServerSpec: 'accepts MCP servers',
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
