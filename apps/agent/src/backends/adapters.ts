/**
 * The adapter of each backend. An adapter itself is loaded where it is needed, since each costs memory for as long as its
 * process lives.
 */
import { about as acp } from '@roundhouse/adapter-acp/about'
import { type AdapterContext, type BackendAbout, type BackendAdapter, CodedError } from '@roundhouse/backend-types'
import { type BuiltInKind, builtIn, type ProfileName, profileNames } from './built-in'

/** `playerPath`: of the player that lies beside the agent's programs. */
type Load = (context: AdapterContext, playerPath: string | undefined) => Promise<BackendAdapter>

/** A program that the machine's policy names. */
export interface NamedProgram {
  /** The absolute path of the program, then its arguments. */
  argv: readonly string[]
  profile: string
  label: string
}

export interface AdapterRow extends BackendAbout {
  load: Load
  /** Takes away what a killed program left of `AdapterContext.mayLeave`, also where nobody knows whose program that was. */
  removeLeft?(folders: readonly string[]): Promise<void>
}

const own: Readonly<Record<BuiltInKind, Omit<AdapterRow, keyof BackendAbout>>> = {
  claude: {
    load: async (context) => (await import('@roundhouse/adapter-claude')).createClaudeAdapter(context),
  },
  codex: {
    load: async (context) => (await import('@roundhouse/adapter-codex')).createCodexAdapter(context),
    removeLeft: async (folders) => (await import('@roundhouse/adapter-codex')).removeStrayMounts(folders),
  },
  opencode: { load: (context) => loadAcp(acp.opencode, 'opencode', context) },
  gemini: { load: (context) => loadAcp(acp.gemini, 'gemini', context) },
  qwen: { load: (context) => loadAcp(acp.qwen, 'qwen', context) },
  openclaw: { load: (context) => loadAcp(acp.openclaw, 'openclaw', context) },
  scripted: {
    load: async (context, playerPath) =>
      (await import('@roundhouse/adapter-scripted')).createScriptedAdapter(
        context,
        playerPath === undefined ? {} : { playerPath },
      ),
  },
}

export const adapters: readonly AdapterRow[] = builtIn.map((about) => ({ ...about, ...own[about.kind] }))

async function loadAcp(
  program: { kind: string; label: string; argv?: readonly [string, ...string[]] },
  profile: ProfileName,
  context: AdapterContext,
): Promise<BackendAdapter> {
  const { createAcpAdapter, profiles } = await import('@roundhouse/adapter-acp')
  return createAcpAdapter({ ...program, profile: profiles[profile] }, context)
}

/** Rejects with `BACKEND_UNAVAILABLE` where the agent has no such profile: a later release wrote its name. */
export async function loadNamed(kind: string, program: NamedProgram, context: AdapterContext): Promise<BackendAdapter> {
  const profile = profileNames.find((name) => name === program.profile)
  const [file, ...args] = program.argv
  if (profile === undefined || file === undefined) {
    throw new CodedError('BACKEND_UNAVAILABLE', `This agent cannot start ${program.label}.`)
  }
  return loadAcp({ kind, label: program.label, argv: [file, ...args] }, profile, context)
}
