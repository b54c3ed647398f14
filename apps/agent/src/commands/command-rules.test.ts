import { describe, expect, it } from 'vitest'
import { isAllowedByRules } from './command-rules'

describe('[PERM-9] an allow rule of the owner’s settings', () => {
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
