/** What a person can choose on the scripted backend, and what it can do. */
import type { AcceptedValues, DeclaredCapabilities, ManifestChoice, Sandbox } from '@roundhouse/backend-types'
import { about } from './about'

export const models: ManifestChoice[] = [
  { code: 'scripted-large', label: 'Scripted Large', description: 'A window of 200,000 tokens', default: true },
  { code: 'scripted-small', label: 'Scripted Small', description: 'A window of 32,000 tokens' },
]

/** The player takes it and no list offers it: each turn fails as if the model service did not have it. */
export const MISSING_MODEL = 'scripted-missing'

/** Tokens of the window, and of one answer where nothing else is asked for. */
export const windows: Record<string, { total: number; maxOutputTokens: number }> = {
  'scripted-large': { total: 200_000, maxOutputTokens: 32_000 },
  'scripted-small': { total: 32_000, maxOutputTokens: 8_000 },
}

export const modes: ManifestChoice[] = [
  { code: 'default', label: 'Default', description: 'Asks before a tool changes something', default: true },
  { code: 'acceptEdits', label: 'Accept edits', description: 'Edits files without asking' },
  { code: 'plan', label: 'Plan', description: 'Changes nothing' },
]

export const thinkingOptions: ManifestChoice[] = [
  { code: 'on', label: 'On', default: true },
  { code: 'off', label: 'Off', description: 'Leaves the thinking out' },
]

export const sandboxes: Sandbox[] = ['read-only', 'workspace-write', 'full-access']

/** Which models there are, only the player says. */
export const accepted: AcceptedValues = {
  // The last is for tests of policies; nobody is offered it.
  modes: [...modes, { code: 'bypassPermissions' }].map(({ code }) => ({ code })),
  sandboxes,
  thinking: thinkingOptions.map(({ code }) => code),
}

export const capabilities: DeclaredCapabilities = {
  supportsMessageInjection: true,
  supportsSessionResume: true,
  supportsToolPlugins: true,
  needsBaseInstructions: false,
  needsPermissionConfig: true,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: true,
  supportsReasoningEffort: true,
  toolPermissionFormat: 'claude',
  acceptsAllowedToolsList: true,
  acceptsMcpServerSpec: true,
  humanLabel: about.label,
  supportsInterrupt: true,
  supportsPermissions: true,
  supportsEditedInput: true,
  supportsDenyReason: true,
  enforcesSandbox: false,
  reportsCost: false,
  acceptsImages: true,
  acceptsImagesAlone: true,
  queries: ['supportedModels', 'supportedCommands', 'mcpServerStatus', 'accountInfo', 'setModel', 'setPermissionMode'],
}

export function defaultOf(choices: ManifestChoice[]): string {
  return choices.find((choice) => choice.default)?.code ?? ''
}
