import type { GrantScope } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type GrantQuestion, grantCovers, type HeldGrant } from './grants'

const grant = (scope: GrantScope): HeldGrant => ({ grantId: 'g', scope, label: 'x', expiresAt: 100, actionDigest: 'a' })
const question = (over: Partial<GrantQuestion> = {}): GrantQuestion => ({
  toolName: 'Write',
  actionDigest: 'a',
  realPaths: [],
  ...over,
})
const folder = grant({ kind: 'folder', toolName: 'Write', folder: '/w/src' })

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

  it.each([
    ['a file in the folder', ['/w/src/a.ts'], true],
    ['files deep in the folder', ['/w/src/a/b.ts', '/w/src/c'], true],
    ['one file outside', ['/w/src/a.ts', '/w/b.ts'], false],
    ['a folder with the same beginning', ['/w/src-other/a.ts'], false],
    ['the folder itself', ['/w/src'], false],
    ['a path that was not resolved', ['/w/src/../b.ts'], false],
    ['no known path', [], false],
  ])('[PERM-5] a grant for a folder, asked about %s', (_what, realPaths, covered) => {
    expect(grantCovers(folder, question({ realPaths }), 1)).toBe(covered)
  })

  it('[PERM-5] a grant for a folder covers its tool alone, and windows paths too', () => {
    expect(grantCovers(folder, question({ toolName: 'Bash', realPaths: ['/w/src/a'] }), 1)).toBe(false)
    const windows = grant({ kind: 'folder', toolName: 'Write', folder: 'C:\\w' })
    expect(grantCovers(windows, question({ realPaths: ['C:\\w\\a.ts'] }), 1)).toBe(true)
    expect(grantCovers(windows, question({ realPaths: ['C:\\w2\\a.ts'] }), 1)).toBe(false)
  })
})
