/** What Claude Code can do, and whether it is here. Never rejects; a program that hangs did not answer. */
import { execFile } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import {
  type AdapterContext,
  type BackendManifestEntry,
  backendNames,
  type Capabilities,
  CodedError,
  isUnanswered,
  type ManifestChoice,
  toCodedError,
} from '@roundhouse/backend-types'
import { findBinary } from './binary'
import { effortLevels } from './launch'

export const claudeCapabilities: Capabilities = {
  supportsMessageInjection: true,
  supportsSessionResume: true,
  supportsToolPlugins: true,
  needsBaseInstructions: false,
  needsPermissionConfig: false,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: true,
  supportsReasoningEffort: true,
  toolPermissionFormat: 'claude',
  acceptsAllowedToolsList: true,
  acceptsMcpServerSpec: true,
  humanLabel: backendNames.claude,
  supportsInterrupt: true,
  supportsPermissions: true,
  supportsEditedInput: true,
  supportsDenyReason: true,
  enforcesSandbox: false,
  reportsCost: true,
  acceptsImages: true,
  acceptsImagesAlone: true,
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
    kind: 'claude',
    label: claudeCapabilities.humanLabel,
    models: [...models],
    modes: [...modes],
    sandboxes: ['read-only' as const, 'workspace-write' as const, 'full-access' as const],
    thinkingOptions: effortLevels.map(
      (code): ManifestChoice => ({ code, label: code === 'xhigh' ? 'Extra high' : capital(code) }),
    ),
    capabilities: { ...claudeCapabilities },
    terminalResume: 'claude --resume {id}',
  }
  try {
    const binaryPath = await findBinary(context)
    const version = await readVersion(binaryPath, context, timeoutMs)
    return { ...entry, installed: true, version, binaryPath }
  } catch (error) {
    const unanswered = isUnanswered(error) ? { unanswered: true } : {}
    return { ...entry, installed: false, unavailableReason: toCodedError(error).message, ...unanswered }
  }
}

function readVersion(file: string, context: AdapterContext, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: context.env, cwd: context.scratchDir, timeout: timeoutMs, killSignal: 'SIGKILL' as const }
    execFile(file, ['--version'], options, (error, stdout, stderr) => {
      const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0]
      if (!error && version) resolve(version)
      else if (error?.killed)
        reject(new CodedError('BACKEND_TIMEOUT', `claude --version did not answer within ${timeoutMs / 1000} s.`))
      else reject(new CodedError('BACKEND_UNAVAILABLE', failureWords(stderr), undefined, error))
    })
  })
}

const LONGEST_LINE = 300

/** What the program itself says of it: its first line that is not empty. */
function failureWords(stderr: string): string {
  const line = stripVTControlCharacters(stderr)
    .split(/\r?\n/)
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined) return 'claude --version failed.'
  // Cut between words: half a secret would not be known as one.
  const whole = line.length <= LONGEST_LINE
  return `claude --version failed: ${whole ? line : `${line.slice(0, line.lastIndexOf(' ', LONGEST_LINE) + 1)}…`}`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
