import type { GrantScope } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type GrantQuestion, grantCovers, type HeldGrant } from './grants'

const grant = (scope: GrantScope): HeldGrant => ({ grantId: 'g', scope, label: 'x', expiresAt: 100, actionDigest: 'a' })
const question = (over: Partial<GrantQuestion> = {}): GrantQuestion => ({
  toolName: 'Write',
  actionDigest: 'a',
  ...over,
})

describe('grantCovers', () => {
  it('[PERM-5.7] by default exactly the action that was allowed', () => {
    expect(grantCovers(grant({ kind: 'exact' }), question(), 1)).toBe(true)
    expect(grantCovers(grant({ kind: 'exact' }), question({ actionDigest: 'b' }), 1)).toBe(false)
  })

  it('[PERM-5] a grant for a tool covers that tool', () => {
    const tool = grant({ kind: 'tool', toolName: 'Write' })
    expect(grantCovers(tool, question({ actionDigest: 'b' }), 1)).toBe(true)
    expect(grantCovers(tool, question({ toolName: 'Bash' }), 1)).toBe(false)
  })

  it('[PERM-5.33] a grant of commands or edits covers what the machine says, never what it has doubts about', () => {
    const held = grant({ kind: 'edit_file', file: '/w/a' })
    const asked = [{ covers: () => true }, { covers: () => false }, {}, { covers: () => true, exactOnly: true }]
    expect(asked.map((over) => grantCovers(held, question(over), 1))).toEqual([true, false, false, false])
  })

  it('[PERM-5.34] a grant ends on time', () => {
    expect([
      grantCovers(grant({ kind: 'exact' }), question(), 99),
      grantCovers(grant({ kind: 'exact' }), question(), 100),
    ]).toEqual([true, false])
  })

  it('[PERM-5] a grant for a folder, which a stored grant may name and no host offers, covers nothing', () => {
    expect(grantCovers(grant({ kind: 'folder', toolName: 'Write', folder: '/w' }), question(), 1)).toBe(false)
  })
})
