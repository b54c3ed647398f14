import { describe, expect, it } from 'vitest'
import { isIgnored, parseRules } from './ignore-rules'

const ignores = (rules: string, path: string) =>
  isIgnored([parseRules(rules, 0)], path.replace(/\/$/, '').split('/'), path.endsWith('/'))

describe('[CMD-10.8] rules of a .gitignore', () => {
  it.each([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/er/a.log', true],
    ['/a.log', 'deep/a.log', false],
    ['build/', 'build/', true],
    ['build/', 'build', false],
    ['build', 'src/build/', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/x/y/a.ts', true],
    ['**/dist', 'x/y/dist/', true],
    ['dist/**', 'dist/', false],
    ['dist/**', 'dist/x', true],
    ['*.l?g', 'a.lxg', true],
    ['[a-c].txt', 'b.txt', true],
    ['[!a-c].txt', 'b.txt', false],
    ['# note', '# note', false],
    ['\\#note', '#note', true],
    ['a ', 'a', true],
    ['a\\ ', 'a ', true],
    ['[', '[', true],
    ['*.log\n!keep.log', 'keep.log', false],
    ['!keep.log\n*.log', 'keep.log', true],
  ])('%j on %s: %s', (rules, path, ignored) => {
    expect(ignores(rules, path)).toBe(ignored)
  })

  it('of a deeper file win over those above, and begin where it lies', () => {
    const levels = [parseRules('*.log', 0), parseRules('!/a.log', 1)]
    expect(isIgnored(levels, ['sub', 'a.log'], false)).toBe(false)
    expect(isIgnored(levels, ['sub', 'deep', 'a.log'], false)).toBe(true)
  })

  it('take no longer for a pattern that was made to take long', () => {
    const started = performance.now()
    ignores(`${'*a'.repeat(150)}b`, 'a'.repeat(250))
    ignores(`${'**/*a/'.repeat(60)}b`, 'a/'.repeat(400).slice(0, -1))
    expect(performance.now() - started).toBeLessThan(500)
  })
})
