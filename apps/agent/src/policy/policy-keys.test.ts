import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describePolicy } from './describe-policy'
import { Policy } from './policy'

type Key = Exclude<keyof Policy, 'version' | 'limits'> | `limits.${keyof Policy['limits'] & string}`

/** Each key of the policy with a value that is not its default. */
const others: Readonly<Record<Key, unknown>> = {
  roots: ['/code'],
  backends: { claude: {} },
  programs: { kilo: { argv: ['/opt/kilo', 'acp'], profile: 'generic', label: 'Kilo' } },
  maxSandbox: 'read-only',
  allowBypassPermissions: true,
  acceptHubRules: true,
  trustProjectConfig: true,
  denyTools: ['Bash'],
  denyPaths: ['/secret'],
  notes: '/notes',
  envAllow: ['MY_OWN'],
  hubEnvAllow: ['MY_HUBS'],
  orphans: 'keep',
  'limits.runningSessions': 7,
  'limits.keepMs': 3_600_000,
  'limits.keepSessionBytes': 1_048_576,
  'limits.keepAgentBytes': 1_048_576,
  'limits.askMs': 90_000,
  'limits.backlogBytes': 1_048_576,
}

/** As `roundhouse-agent policy` shows it, without the digest, which changes with every key. */
const shown = (file: object) => describePolicy(Policy.parse(file), null).filter((line) => !line.startsWith('Digest'))
const page = readFileSync(join(import.meta.dirname, '../../../../docs/policy.md'), 'utf8')
const documented = page.split('\n').filter((line) => line.startsWith('| `'))

describe('each key of the policy', () => {
  it.each(Object.entries(others))('%s is shown to the owner, and stands in docs/policy.md', (key, value) => {
    const [limits, name] = key.split('.')
    expect(shown(name === undefined ? { [key]: value } : { [limits ?? '']: { [name]: value } })).not.toEqual(shown({}))
    const ownRow = documented.some((line) => line.split(' | ')[0]?.includes(`\`${key}\``))
    const sharedRow = name !== undefined && documented.some((line) => line.split(' | ')[0]?.includes(`\`${name}\``))
    expect(ownRow || sharedRow).toBe(true)
  })
})
