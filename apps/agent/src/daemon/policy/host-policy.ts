/** The part of the machine's policy and limits that a session host gets. Pure. */
import { steadyClock } from '@roundhouse/delivery'
import type { HostLimits, HostPolicy, LaunchSpec } from '../../host-contract/launch-spec'
import { defaultPolicy, type Policy } from '../../policy/policy'
import { namedProgram } from '../../policy/programs'

/** In force while the policy file cannot be read. */
export const nothingAllowed: Policy = { ...defaultPolicy(), backends: {}, maxSandbox: 'read-only' }

export interface Circumstances {
  paused: boolean
  agentPlaces: readonly string[]
  /** Why a backend's version is not allowed, by backend. */
  wrongVersions: Readonly<Record<string, string>>
  /** The backends of this release. */
  kinds: readonly string[]
}

export const hostPolicy = (
  policy: Policy,
  { paused, agentPlaces, wrongVersions, kinds }: Circumstances,
): HostPolicy => ({
  roots: policy.roots,
  maxSandbox: policy.maxSandbox,
  allowBypassPermissions: policy.allowBypassPermissions,
  trustProjectConfig: policy.trustProjectConfig,
  acceptHubRules: policy.acceptHubRules,
  hubEnvAllow: policy.hubEnvAllow,
  denyTools: policy.denyTools,
  denyPaths: policy.denyPaths,
  ...(policy.notes === undefined ? {} : { notes: policy.notes }),
  agentPlaces: [...agentPlaces],
  wrongVersions: { ...wrongVersions },
  ...(policy.limits.askMs === undefined ? {} : { askLifeMs: policy.limits.askMs }),
  ...(paused ? { paused } : {}),
  backends: Object.keys(backendPaths(policy, kinds)),
})

/** REB-3: a clock that jumps ahead must not make logs old, so more time is kept then. */
export function steadyLimits(now: () => number, limits: () => Policy['limits']): () => Policy['limits'] {
  const clock = steadyClock(now)
  return () => ({ ...limits(), keepMs: limits().keepMs + clock.ahead() })
}

export const hostLimits = ({ keepMs, keepSessionBytes, backlogBytes }: Policy['limits']): HostLimits => ({
  keepMs,
  keepBytes: keepSessionBytes,
  backlogBytes,
})

/** The backends that a host may start, with the programs that the policy pins or names. */
export function backendPaths(policy: Policy, kinds: readonly string[]): LaunchSpec['backends'] {
  const allowed: NonNullable<Policy['backends']> =
    policy.backends ?? Object.fromEntries(kinds.map((kind) => [kind, {}] as const))
  const entries = Object.entries(allowed).map(([kind, { path, denyInSandbox }]) => [
    kind,
    { ...(path === undefined ? {} : { binaryPath: path }), ...(denyInSandbox ? { denyInSandbox } : {}) },
  ])
  const named = Object.entries(policy.programs ?? {}).map(([kind, rule]) => [
    kind,
    { program: namedProgram(kind, rule) },
  ])
  return Object.fromEntries([...entries, ...named])
}
