import type { BackendManifestEntry, ManifestChoice } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { judgeChanges } from './judge'
import { offeredBy } from './offered'
import { Policy } from './policy'

const choice = (code: string, more: Partial<ManifestChoice> = {}): ManifestChoice => ({ code, label: code, ...more })
const program = {
  kind: 'p',
  label: 'P',
  installed: true,
  models: [],
  modes: [choice('ask', { default: true }), choice('never'), choice('writes', { sandboxes: ['workspace-write'] })],
  sandboxes: ['read-only', 'workspace-write', 'full-access'],
  capabilities: {},
} as unknown as BackendManifestEntry

const codes = (entry: BackendManifestEntry) => entry.modes.map(({ code }) => code)

describe('[POL-1.3] what the policy refuses is not offered', () => {
  it('sandboxes above the highest one, and modes that have none left', () => {
    const low = offeredBy(Policy.parse({ maxSandbox: 'read-only', allowBypassPermissions: true }), program)
    expect(low.sandboxes).toEqual(['read-only'])
    expect(codes(low)).toEqual(['ask', 'never'])
  })

  it('modes that never ask, unless the owner allows them', () => {
    expect(codes(offeredBy(Policy.parse({}), program))).toEqual(['ask', 'writes'])
    expect(codes(offeredBy(Policy.parse({ allowBypassPermissions: true }), program))).toContain('never')
  })

  it('and all that is offered passes the same policy', () => {
    for (const policy of [{}, { maxSandbox: 'read-only' }, { allowBypassPermissions: true }].map((p) =>
      Policy.parse(p),
    )) {
      const { modes, sandboxes } = offeredBy(policy, program)
      for (const { code } of modes) expect(judgeChanges(policy, { mode: code })).toBeNull()
      for (const sandbox of sandboxes) expect(judgeChanges(policy, { sandbox })).toBeNull()
    }
  })
})
