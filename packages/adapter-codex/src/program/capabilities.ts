/** What Codex can do, in the flat facts of the contract. */
import type { DeclaredCapabilities } from '@roundhouse/backend-types'
import { about } from './about'

export const codexCapabilities: DeclaredCapabilities = {
  humanLabel: about.label,
  supportsMessageInjection: true,
  supportsSessionResume: true,
  supportsToolPlugins: true,
  needsBaseInstructions: true,
  needsPermissionConfig: true,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: true,
  supportsReasoningEffort: true,
  toolPermissionFormat: 'codex',
  // There is no list of tools to pass: what may run is decided by the approval policy and the sandbox.
  acceptsAllowedToolsList: false,
  acceptsMcpServerSpec: true,
  supportsInterrupt: true,
  supportsPermissions: true,
  supportsEditedInput: false,
  // As a message of its own, right behind the refusal.
  supportsDenyReason: true,
  enforcesSandbox: true,
  // It has no such setting: the number only serves the warning before the window is full.
  limitsOutput: false,
  acceptsImages: true,
  acceptsImagesAlone: true,
  // Codex counts tokens only.
  reportsCost: false,
  // It thinks by levels, and keeps no copies of what it changes.
  queries: ['supportedModels', 'supportedCommands', 'mcpServerStatus', 'accountInfo', 'setModel', 'setPermissionMode'],
}
