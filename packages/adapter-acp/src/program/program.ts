/** A program of a machine, and its capabilities. */
import type { AcceptedValues, BackendKind, DeclaredCapabilities, QueryMethod } from '@roundhouse/backend-types'
import type { Profile } from '../profiles/profile'

export interface AcpProgram {
  kind: BackendKind
  label: string
  profile: Profile
  /** In the place of the profile's: a path or a name, then arguments. */
  argv?: readonly [string, ...string[]]
}

export const argvOf = ({ argv, profile }: AcpProgram): readonly [string, ...string[]] => argv ?? profile.argv

/** Where it takes a model, only the open conversation says which. */
export const acceptedBy = ({ profile }: AcpProgram): AcceptedValues => ({
  ...(profile.says.model ? {} : { models: [] }),
  modes: profile.modes.map(({ code }) => ({ code })),
  sandboxes: [...profile.sandboxes],
  thinking: [],
})

export const capabilitiesOf = ({ label, profile }: AcpProgram): DeclaredCapabilities => ({
  humanLabel: label,
  supportsMessageInjection: false,
  supportsSessionResume: true,
  supportsToolPlugins: true,
  needsBaseInstructions: false,
  needsPermissionConfig: profile.capabilities?.supportsPermissions ?? true,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: false,
  supportsReasoningEffort: false,
  acceptsAllowedToolsList: profile.takes.toolLists,
  acceptsMcpServerSpec: profile.takes.mcpServers,
  acceptsFolders: profile.takes.folders,
  supportsInterrupt: true,
  supportsPermissions: true,
  supportsEditedInput: false,
  // The protocol has no word for a reason.
  supportsDenyReason: false,
  enforcesSandbox: false,
  // The number only serves the warning before the window is full.
  limitsOutput: false,
  reportsCost: false,
  queries: queriesOf(profile),
  ...profile.capabilities,
})

/** The protocol lists models and commands when a conversation opens. */
const queriesOf = ({ says, modes }: Profile): QueryMethod[] => [
  'supportedModels',
  'supportedCommands',
  ...(says.model ? (['setModel'] as const) : []),
  ...(says.mode && modes.length > 0 ? (['setPermissionMode'] as const) : []),
]
