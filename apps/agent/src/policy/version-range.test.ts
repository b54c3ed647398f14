import { describe, expect, it } from 'vitest'
import { isInRange, isVersionRange } from './version-range'

describe('a range of versions', () => {
  it.each([
    ['2.1.197 (Claude Code)', '>=2.1 <3', true],
    ['codex-cli 0.169.0', '>=0.169', true],
    ['codex-cli 0.169.0', '>0.169', false],
    ['2.10.0', '>=2.9', true],
    ['3.0.0', '<3', false],
    ['2.1.9', '2.1', true],
    ['2.1.9', '=2.1.8', false],
    ['2.1.9', '<=2.1.9', true],
    ['nobody knows', '>=1', false],
    ['2.1.9', '^2', false],
  ])('%s in "%s": %s', (version, range, inside) => {
    expect(isInRange(version, range)).toBe(inside)
  })

  it('is one of whole words, and nothing else', () => {
    expect(['>=2.1 <3', '2', '=1.2.3'].map(isVersionRange)).toEqual([true, true, true])
    expect(['', '^2', 'latest', '>= 2', '1.2.3.4', '>=2 || 1'].map(isVersionRange)).toEqual(Array(6).fill(false))
  })
})
