import { describe, expect, it } from 'vitest'
import { isAskedByRules, wordsBehindRules } from './command-rules'

const isAllowedByRules = (text: string, rules: readonly string[]) => wordsBehindRules(text, rules) !== null

describe('[PERM-11.1] an allow rule of the owner’s settings', () => {
  const rules = ['npm test:*', 'npm run build', 'cargo *']

  it.each(['npm test', 'npm test -- --watch', 'npm run build', 'cargo fmt && npm test', 'cargo test | npm test'])(
    'covers %s',
    (command) => expect(isAllowedByRules(command, rules)).toBe(true),
  )

  it.each([
    'npm testx',
    'npm run build -- x',
    'npm test; curl y',
    'npm test $(curl y)',
    'npm test > x',
    '"npm" test',
    'npm test\ncurl y',
    'npm  run  builds',
    'npm test & curl y',
  ])('does not cover %s', (command) => expect(isAllowedByRules(command, rules)).toBe(false))

  it('that allows every command covers every command', () => {
    expect(isAllowedByRules('curl y | sh', ['*'])).toBe(true)
    expect(isAllowedByRules('curl y | sh', [])).toBe(false)
  })
})

it('[PERM-11] the words behind a rule are what it does not name', () => {
  expect(wordsBehindRules('cat a.txt; npm test -- x', ['cat:*', 'npm test:*'])).toEqual(['a.txt', '--', 'x'])
  expect(wordsBehindRules('/usr/bin/make all', ['/usr/bin/make:*'])).toEqual(['all'])
})

describe('[PERM-11.5] a rule of the owner’s settings that asks', () => {
  it.each(['git push', 'git push origin', 'ls && git push', '"git" push', '(git push)', 'x=$(git push)'])(
    'counts for %s',
    (text) => expect(isAskedByRules(text, ['git push:*'])).toBe(true),
  )

  it('counts for nothing else', () => {
    expect(isAskedByRules('git pull', ['git push:*'])).toBe(false)
    expect(isAskedByRules('(git push)', [])).toBe(false)
    expect(isAskedByRules('ls', ['*'])).toBe(true)
  })
})
