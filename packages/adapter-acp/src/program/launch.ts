/**
 * What to start: arguments and environment, from the spawn options and the profile. Pure. Each field of `SpawnOptions` is used
 * here or by the session, refused here, or named below with the reason why not.
 *
 * - `maxOutputTokens`: where a profile has no word for it, it only serves the token budget warning. It is never refused.
 * - `roleId`, `useBrainCore`, `initialUserInput`: the host has put the notes into `systemPrompt` before.
 * - `sessionId`, `backend`: they chose this session and this adapter.
 */
import { CodedError, type SpawnOptions } from '@roundhouse/backend-types'
import type { Profile, SayingPlace } from '../profiles/profile'
import { type AcpProgram, argvOf } from './program'

/** In the environment of everything below a program, so that it is found wherever it went. Its value is the private TMPDIR. */
export const PROGRAM_MARK = 'ROUNDHOUSE_ACP'

export interface LaunchPlace extends SayingPlace {
  env: Readonly<Record<string, string>>
  tmpDir: string
  trustProjectConfig: boolean
}

export interface Launch {
  args: string[]
  env: Record<string, string>
}

export function planLaunch(options: SpawnOptions, program: AcpProgram, place: LaunchPlace): Launch {
  const { profile } = program
  const [, ...args] = argvOf(program)
  return {
    args: [...args, ...(profile.says.args?.(options, place) ?? [])],
    env: {
      ...without(place.env, profile.guard.without),
      ...options.env,
      ...profile.guard.env,
      ...(place.trustProjectConfig ? {} : profile.guard.distrust),
      ...profile.says.env?.(options, place),
      TMPDIR: place.tmpDir,
      [PROGRAM_MARK]: place.tmpDir,
    },
  }
}

/** Outside of any session: as guarded as inside. */
export const bareEnvironment = (
  profile: Profile,
  env: Readonly<Record<string, string>>,
  tmpDir: string,
): Record<string, string> => ({
  ...without(env, profile.guard.without),
  ...profile.guard.env,
  ...profile.guard.distrust,
  ...profile.says.env?.({ sessionId: '' }, {}),
  TMPDIR: tmpDir,
})

export function refuseUnsupported(options: SpawnOptions, { label, profile }: AcpProgram): void {
  const lacking: Array<[keyof SpawnOptions, boolean, string]> = [
    ['allowedTools', !profile.takes.toolLists && !!options.allowedTools?.length, 'no list of tools'],
    ['disallowedTools', !profile.takes.toolLists && !!options.disallowedTools?.length, 'no list of tools'],
    ['additionalDirs', !profile.takes.folders && !!options.additionalDirs?.length, 'no further folders'],
    ['mcpConfigPath', !profile.takes.mcpServers && options.mcpConfigPath !== undefined, 'no MCP servers'],
    ['mcpServers', !profile.takes.mcpServers && options.mcpServers !== undefined, 'no MCP servers'],
    ['model', !profile.says.model && options.model !== undefined, 'no choice of models'],
    ['mode', !knowsMode(profile, options.mode), `no mode "${options.mode}" that asks`],
    ['sandbox', !profile.sandboxes.includes(options.sandbox ?? 'workspace-write'), `no sandbox "${options.sandbox}"`],
    ['thinking', options.thinking !== undefined, 'no choice of thinking'],
    ['newSessionId', options.newSessionId !== undefined, 'no id from us: it chooses the id of a conversation itself'],
  ]
  const [field, , what] = lacking.find(([, isLacking]) => isLacking) ?? []
  if (field !== undefined) throw new CodedError('UNSUPPORTED', `${label} takes ${what} (${field}).`, { field })
  const owners = Object.keys(options.env ?? {}).find((name) => profile.guard.ownersVariables.test(name))
  if (owners !== undefined) {
    throw new CodedError('POLICY_DENIED', `${owners} is set by the owner of the machine alone.`, { field: 'env' })
  }
}

/** Of a program without a list of modes nobody knows which of them ask, so none is chosen. */
export const knowsMode = ({ modes }: Profile, mode: string | undefined): boolean =>
  mode === undefined || modes.some(({ code }) => code === mode)

const without = (env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
