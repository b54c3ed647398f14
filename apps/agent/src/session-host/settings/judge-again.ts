/**
 * Asks whether this machine would still create this session (POL-1). Called before anything of it starts: the policy
 * may have become narrower since the creation, and the folder may be a different one (A25). The errors are those of the
 * creation.
 */
import { CodedError, type SessionSettings } from '@roundhouse/backend-types'
import { realPathOf } from '../../actions/named-paths'
import { isInside } from '../../files/is-inside'
import type { HostPolicy } from '../../host-contract/launch-spec'
import { judgeChanges, judgeSettings, type SessionRules } from '../../policy/judge'
import { pausedError } from '../../policy/pause'
import { pathsOfSettings } from '../../policy/real-paths'
import { resolveRealPaths } from '../../policy/resolve-paths'
import type { Applied, StoredSettings } from './settings'

/** `desired`: the settings that would be in force, with a turn's overrides. Returns null if the session may start. */
export function judgeAgain(policy: HostPolicy, stored: StoredSettings, desired: Applied = {}): CodedError | null {
  const settings: SessionSettings = { ...stored.settings, ...desired, workDir: stored.realWorkDir }
  return (
    (policy.paused ? pausedError() : null) ??
    judgePinned(stored.realWorkDir, policy) ??
    judgeSettings(rulesOf(policy), settings, resolveRealPaths(pathsOfSettings(settings)))
  )
}

/** Judges only the requested changes: a person must be able to change one setting while another still prevents a start. */
export function requireChanges(policy: HostPolicy, changes: Parameters<typeof judgeChanges>[1]): void {
  const refusal = judgeChanges(rulesOf(policy), changes)
  if (refusal) throw refusal
}

export function mayChange(policy: HostPolicy, changes: Parameters<typeof judgeChanges>[1]): boolean {
  return judgeChanges(rulesOf(policy), changes) === null
}

/** The work folder was resolved at the creation: the path must still be its own real path, inside a root. */
function judgePinned(realWorkDir: string, policy: HostPolicy): CodedError | null {
  const isReal = realPathOf(realWorkDir) === realWorkDir
  const inside = policy.roots.some((root) => isInside(realWorkDir, root))
  if (isReal || !inside) return null
  return new CodedError('PATH_NOT_ALLOWED', `${realWorkDir} is another folder now than when this session was made.`, {
    path: realWorkDir,
  })
}

/** A rule that an older daemon does not send forbids. */
function rulesOf({ backends, ...policy }: HostPolicy): SessionRules {
  return {
    roots: policy.roots,
    maxSandbox: policy.maxSandbox,
    allowBypassPermissions: policy.allowBypassPermissions,
    acceptHubRules: policy.acceptHubRules === true,
    trustProjectConfig: policy.trustProjectConfig === true,
    hubEnvAllow: policy.hubEnvAllow ?? [],
    agentPlaces: policy.agentPlaces,
    wrongVersions: policy.wrongVersions,
    ...(backends ? { backends: Object.fromEntries(backends.map((kind) => [kind, {}])) } : {}),
  }
}
