import { describe, expect, it } from 'vitest'
import { hasProfile, knowsProfiles, withProfiles } from './denied-files'

const thread = {
  cwd: '/code',
  sandbox: 'workspace-write',
  config: { 'sandbox_workspace_write.exclude_slash_tmp': true, model_reasoning_effort: 'high' },
}
const denied = { paths: ['/home/ana/.agent'], additionalDirs: [], owner: {} }

describe('[POL-4] [A42] what the policy denies, told to Codex', () => {
  it('is a profile for each sandbox, in the place of the older settings', () => {
    expect(withProfiles(thread, undefined, denied)).toEqual({
      cwd: '/code',
      permissions: 'roundhouse-workspace-write',
      config: {
        model_reasoning_effort: 'high',
        default_permissions: 'roundhouse-read-only',
        permissions: {
          'roundhouse-read-only': {
            extends: ':read-only',
            filesystem: { '/home/ana/.agent': 'deny' },
            network: { enabled: false },
          },
          'roundhouse-workspace-write': {
            extends: ':workspace',
            workspace_roots: {},
            filesystem: { ':slash_tmp': 'read', ':tmpdir': 'write', '/home/ana/.agent': 'deny' },
            network: { enabled: false },
          },
        },
      },
    })
  })

  it('keeps what the owner’s own configuration says of folders and network', () => {
    const owner = { config: { sandbox_workspace_write: { writable_roots: ['/cache'], network_access: true } } }
    const profileWith = (additionalDirs: string[]) =>
      withProfiles(thread, 'read-only', { ...denied, additionalDirs, owner }).config as {
        permissions: Record<string, object>
      }
    expect(profileWith([]).permissions['roundhouse-workspace-write']).toMatchObject({
      workspace_roots: { '/cache': true },
      network: { enabled: true },
    })
    expect(profileWith(['/data']).permissions['roundhouse-workspace-write']).toMatchObject({
      workspace_roots: { '/data': true },
    })
  })

  it('holds from the version on in which it was seen to work, and only where Codex says that it took it', () => {
    expect(['x/0.169.0 (Linux)', 'x/0.170.1', 'x/1.0.0'].map(knowsProfiles)).toEqual([true, true, true])
    expect(['x/0.168.9', 'x', undefined].map(knowsProfiles)).toEqual([false, false, false])
    expect(hasProfile({ activePermissionProfile: { id: 'roundhouse-read-only' } }, 'read-only')).toBe(true)
    expect(hasProfile({ activePermissionProfile: { id: 'roundhouse-read-only' } }, undefined)).toBe(false)
    expect(hasProfile({}, 'full-access')).toBe(false)
  })
})
