/** The effective policy in plain words, for the machine's owner. Pure. */
import { backendVariables } from '../backends/built-in'
import { HUB_NAMES, OWNER_NAMES } from './environment'
import { quoteForShell } from './judge'
import { inWords, type Policy, policyDigest } from './policy'

const DAY_MS = 86_400_000
const MIB = 1024 * 1024

/** `pausedAt`: epoch ms, null where the machine is not paused. One line a rule, names in one column. */
export function describePolicy(policy: Policy, pausedAt: number | null): string[] {
  const { limits } = policy
  const rows: Array<[name: string, value: string]> = [
    [
      'Paused',
      pausedAt === null ? 'no' : `since ${new Date(pausedAt).toISOString()}: this machine accepts nothing from the hub`,
    ],
    ...listed('Folders', policy.roots, 'none: no session may run'),
    ...listed(
      'Backends',
      backendLines(policy),
      policy.backends ? 'none' : 'every backend that is found, in any version',
    ),
    ...(policy.programs ? listed('Programs', programLines(policy.programs), 'none further') : []),
    ['Sandbox', `${policy.maxSandbox} at most`],
    ['Bypass', policy.allowBypassPermissions ? 'ON: a hub may ask for modes that never ask' : 'off: programs ask'],
    ['Hub rules', policy.acceptHubRules ? 'ON: a hub may name tools that run without asking' : 'off'],
    ['Project', policy.trustProjectConfig ? 'TRUSTED: hooks and MCP servers of a repository run' : 'not trusted'],
    ...listed('Denied', [...policy.denyTools.map((tool) => `tool ${tool}`), ...policy.denyPaths], 'nothing by name'),
    ['Notes', policy.notes ?? 'none: a role has no notes'],
    ['Env, own', [...OWNER_NAMES, ...backendVariables, ...policy.envAllow].join(' ')],
    ['Env, hub', [...HUB_NAMES, ...policy.hubEnvAllow].join(' ')],
    ['Orphans', policy.orphans === 'end' ? 'programs without a host are ended' : 'programs without a host are kept'],
    [
      'Limits',
      `${limits.runningSessions} programs at once; kept after the hub has them: ${round(limits.keepMs / DAY_MS)} days, ${round(limits.keepSessionBytes / MIB)} MiB a session, ${round(limits.keepAgentBytes / MIB)} MiB in total; a program waits when the hub lacks more than ${round(limits.backlogBytes / MIB)} MiB`,
    ],
    ['Requests', limits.askMs === undefined ? 'wait until somebody decides' : `expire after ${inWords(limits.askMs)}`],
    ['Digest', policyDigest(policy)],
  ]
  return rows.map(([name, value]) => `${name.padEnd(9)} ${value}`)
}

function listed(name: string, values: readonly string[], none: string): Array<[string, string]> {
  if (values.length === 0) return [[name, none]]
  return values.map((value, index) => [index === 0 ? name : '', value])
}

const backendLines = (policy: Policy): string[] =>
  Object.entries(policy.backends ?? {}).map(([kind, { path, versions, denyInSandbox }]) =>
    [
      kind,
      path ?? 'where it is found',
      versions === undefined ? 'any version' : `version ${versions}`,
      ...(denyInSandbox ? ['denies in its sandbox'] : []),
    ].join(', '),
  )

const notKnownToAsk: ReadonlySet<string> = new Set(['generic', 'openclaw-gateway'])

const programLines = (programs: NonNullable<Policy['programs']>): string[] =>
  Object.entries(programs).map(([kind, { argv, profile, label }]) =>
    [
      kind,
      ...(label === undefined ? [] : [label]),
      argv.map(quoteForShell).join(' '),
      ...(profile === 'generic' ? [] : [`as ${profile}`]),
      ...(notKnownToAsk.has(profile) ? ['NOT KNOWN TO ASK before it acts'] : []),
    ].join(', '),
  )

const round = (value: number): number => Math.round(value * 10) / 10
