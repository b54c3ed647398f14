import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { backendVariables, isBuiltIn } from './built-in'

it('docs/policy.md lists the variables of the owner’s environment that the backends name', () => {
  const text = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8')
  const [, listed = ''] = /and the backends' own\s*\(([^)]*)\)/.exec(text) ?? []
  expect(listed.split(/,\s*/)).toEqual(backendVariables.map((name) => `\`${name}\``))
})

it('a name is one of the release or is not, also where every object has something of that name', () => {
  expect(['claude', 'gemini', 'kilo', 'constructor'].map(isBuiltIn)).toEqual([true, true, false, false])
})
