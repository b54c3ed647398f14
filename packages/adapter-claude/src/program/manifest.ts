/** What Claude Code can do, and whether it is here. Never rejects; a program that hangs did not answer. */
import { askVersion, findProgram } from '@roundhouse/adapter-kit'
import {
  type AdapterContext,
  type BackendManifestEntry,
  type DeclaredCapabilities,
  isUnanswered,
  type ManifestChoice,
  queryMethods,
  Sandbox,
  toCodedError,
} from '@roundhouse/backend-types'
import { about } from './about'
import { accepted, effortLevels } from './launch'

export const claudeCapabilities: DeclaredCapabilities = {
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
  reportsCost: true,
  acceptsImages: true,
  acceptsImagesAlone: true,
  queries: [...queryMethods],
}

/** Aliases that every version resolves to its newest model; a full model id is accepted as well. */
const models: ManifestChoice[] = [
  {
    code: 'default',
    label: 'Default',
    description: 'The model that Claude Code recommends for this account',
    default: true,
  },
  { code: 'opus', label: 'Opus' },
  { code: 'sonnet', label: 'Sonnet' },
  { code: 'haiku', label: 'Haiku', description: 'Fastest' },
]
const modes: ManifestChoice[] = [
  {
    code: 'default',
    label: 'Ask',
    description: 'Asks before every write and every command that may change something',
    default: true,
  },
  {
    code: 'acceptEdits',
    label: 'Accept edits',
    description: 'Edits in the workspace run without asking',
    sandboxes: ['workspace-write', 'full-access'],
  },
  { code: 'plan', label: 'Plan', description: 'Reads and makes a plan, then asks to go on' },
]

const VERSION_TIMEOUT_MS = 10_000

export async function readManifest(
  context: AdapterContext,
  timeoutMs = VERSION_TIMEOUT_MS,
): Promise<BackendManifestEntry> {
  const entry = {
    kind: about.kind,
    label: about.label,
    models: [...models],
    modes: [...modes],
    sandboxes: Sandbox.options,
    thinkingOptions: effortLevels.map(
      (code): ManifestChoice => ({ code, label: code === 'xhigh' ? 'Extra high' : capital(code) }),
    ),
    capabilities: { ...claudeCapabilities },
    accepted,
    terminalResume: 'claude --resume {id}',
  }
  try {
    const { env, scratchDir: workDir } = context
    const binaryPath = await findProgram('claude', context)
    const version = await askVersion({ name: 'claude', file: binaryPath, env, workDir, timeoutMs })
    return { ...entry, installed: true, version, binaryPath }
  } catch (error) {
    const unanswered = isUnanswered(error) ? { unanswered: true } : {}
    return { ...entry, installed: false, unavailableReason: toCodedError(error).message, ...unanswered }
  }
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
