/**
 * How Codex keeps its commands away from files that the machine's policy denies: by permission profiles of its own sandbox,
 * which hold for every command in it, also for one that a person let out of it (seen with 0.169). Pure.
 *
 * The price, seen with 0.169: such a command keeps the network of the sandbox, which is none unless the owner's configuration
 * gives it one, and what it leaves running in the background ends with it. So the owner chooses (`denyInSandbox`).
 *
 * A profile takes the place of the older sandbox settings, so what the owner's configuration says there is put into it.
 */

import { asRecord, asTexts, compact, type Json } from '@roundhouse/adapter-kit/read'
import type { Sandbox } from '@roundhouse/backend-types'

/** Before this version profiles are not known to work. */
const SINCE = [0, 169] as const

/** `userAgent` as Codex says it of itself: `name/0.169.0 (…)`. */
export function knowsProfiles(userAgent: string | undefined): boolean {
  const [, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(userAgent ?? '') ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) > SINCE[0] || (Number(major) === SINCE[0] && Number(minor) >= SINCE[1])
}

const profiles = {
  'read-only': 'roundhouse-read-only',
  'workspace-write': 'roundhouse-workspace-write',
  // Without a sandbox nothing can be kept away.
  'full-access': ':danger-full-access',
} as const satisfies Record<Sandbox, string>

export const profileOf = (sandbox: Sandbox | undefined): string => profiles[sandbox ?? 'workspace-write']

export interface DeniedFiles {
  paths: readonly string[]
  additionalDirs: readonly string[]
  /** The answer to `config/read`. */
  owner: Json
}

/** The parameters of a thread, with profiles in the place of `sandbox`. */
export function withProfiles(thread: Json, sandbox: Sandbox | undefined, denied: DeniedFiles): Json {
  const { sandbox: _older, config, ...rest } = thread
  const kept = Object.entries(asRecord(config)).filter(([name]) => !name.startsWith('sandbox_workspace_write.'))
  return compact({
    ...rest,
    permissions: profileOf(sandbox),
    config: {
      ...Object.fromEntries(kept),
      permissions: profilesFor(denied),
      default_permissions: profileOf('read-only'),
    },
  })
}

function profilesFor({ paths, additionalDirs, owner }: DeniedFiles): Json {
  const own = asRecord(asRecord(owner.config).sandbox_workspace_write)
  const files = Object.fromEntries(paths.map((path) => [path, 'deny']))
  // A folder of the session takes the place of those in the owner's configuration, as it does without profiles.
  const folders = additionalDirs.length > 0 ? additionalDirs : asTexts(own.writable_roots)
  return {
    [profiles['read-only']]: { extends: ':read-only', filesystem: files, network: { enabled: false } },
    [profiles['workspace-write']]: {
      extends: ':workspace',
      workspace_roots: Object.fromEntries(folders.map((folder) => [folder, true])),
      // A workspace below /tmp would otherwise be open to every other session there. TMPDIR is private.
      filesystem: { ':slash_tmp': 'read', ':tmpdir': 'write', ...files },
      network: { enabled: own.network_access === true },
    },
  }
}

/** Whether Codex took the profile: otherwise its commands would read what is denied. */
export const hasProfile = (result: Json, sandbox: Sandbox | undefined): boolean =>
  asRecord(result.activePermissionProfile).id === profileOf(sandbox)
