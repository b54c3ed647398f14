/** A program as a machine names it, and what it can do. */
import type { BackendKind, Capabilities } from '@roundhouse/backend-types'
import type { Profile } from '../profiles/profile'

export interface AcpProgram {
  kind: BackendKind
  label: string
  profile: Profile
  /** In the place of the profile's: a path or a name, then arguments. */
  argv?: readonly [string, ...string[]]
}

export const argvOf = ({ argv, profile }: AcpProgram): readonly [string, ...string[]] => argv ?? profile.argv

export const capabilitiesOf = ({ label, profile }: AcpProgram): Capabilities => ({
  humanLabel: label,
  supportsMessageInjection: false,
  supportsSessionResume: true,
  supportsToolPlugins: true,
  needsBaseInstructions: false,
  needsPermissionConfig: false,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: false,
  supportsReasoningEffort: false,
  acceptsAllowedToolsList: false,
  acceptsMcpServerSpec: true,
  supportsInterrupt: true,
  supportsPermissions: true,
  supportsEditedInput: false,
  // The protocol has no word for a reason.
  supportsDenyReason: false,
  enforcesSandbox: false,
  // The number only serves the warning before the window is full.
  limitsOutput: false,
  reportsCost: false,
  ...profile.capabilities,
})
