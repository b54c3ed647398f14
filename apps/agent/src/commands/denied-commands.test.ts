import { describe, expect, it } from 'vitest'
import { isDeniedByRule } from './denied-commands'

const words = (text: string) => text.split(/[\s'"$();|&]+/)
const verdict = (text: string, rule = 'rm:*') => isDeniedByRule(text, rule, words(text))

describe('isDeniedByRule', () => {
  it.each(['rm x', 'rm', 'ls; rm -rf x', 'cat a | rm b', '/bin/rm x', '"rm" x', "'/usr/bin/rm' x"])(
    '[PERM-12.7] %j is denied',
    (text) => {
      expect(verdict(text)).toBe('yes')
    },
  )

  it.each([
    'sudo rm x',
    'env A=1 rm x',
    'xargs rm',
    "sh -c 'rm x'",
    'echo "$(rm x)"',
    'for f in *; do rm $f; done',
    'rm x > log',
  ])('[PERM-12.8] of %j nobody can tell', (text) => {
    expect(verdict(text)).toBe('unknown')
  })

  it.each(['ls', 'npm test', 'rmdir x', 'ls rm-notes', 'for f in *; do echo $f; done'])('%j is not', (text) => {
    expect(verdict(text)).toBe('no')
  })

  it('a rule without a wildcard names the whole command', () => {
    expect(['git push', 'git push origin', 'git pull'].map((text) => verdict(text, 'git push'))).toEqual([
      'yes',
      'no',
      'no',
    ])
    expect(['git push', 'git push origin', 'git pull'].map((text) => verdict(text, 'git push:*'))).toEqual([
      'yes',
      'yes',
      'no',
    ])
  })
})
