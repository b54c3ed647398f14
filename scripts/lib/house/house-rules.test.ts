import { describe, expect, it } from 'vitest'
import { findMissingOptionals, findStaleManifests } from '../../check-lock.mjs'
import { findFocusedTests, findLongFile, findMachinePaths, findShells, findSlowTrims } from './house-rules.mjs'

describe('the house rules', () => {
  it('refuse a source file of more than 400 lines, and leave generated files and fixtures alone', () => {
    const text = 'x\n'.repeat(401)
    expect(findLongFile('apps/hub/src/big.ts', text)).toEqual(['apps/hub/src/big.ts has 401 lines, 400 is the limit'])
    expect(findLongFile('apps/hub/src/full.ts', 'x\n'.repeat(400))).toEqual([])
    expect(findLongFile('packages/a/fixtures/big.ts', text)).toEqual([])
    expect(findLongFile('docs/big.md', text)).toEqual([])
  })

  it('refuse a focused test, and only in tests', () => {
    const only = ['on', 'ly'].join('')
    const text = `\nit.${only}('x', () => {})\ndescribe.concurrent.${only}('y')`
    expect(findFocusedTests('a.test.ts', text)).toEqual([
      `a.test.ts:2 focuses one test: it.${only}`,
      `a.test.ts:3 focuses one test: describe.concurrent.${only}`,
    ])
    expect(findFocusedTests('a.ts', text)).toEqual([])
  })

  it('[A5] [A27] refuse a program that is started through a shell, and let methods of that name be', () => {
    const from = ["from 'node:child_", "process'"].join('')
    const shell = ['shell', ' true'].join(':')
    const find = (text: string) => findShells('a.ts', text).length
    expect(find(`import { exec } ${from}`)).toBe(1)
    expect(find(`import { type ChildProcess,\n execSync as run } ${from}`)).toBe(1)
    expect(find(`spawn('x', [], { ${shell} })`)).toBe(1)
    expect(find(`require('child_${'process'}').exec('x')`)).toBe(1)
    expect(find(`import { execFile, spawn } ${from}\n/x/.exec('x')\nspawn('x', { shell: needsShell })`)).toBe(0)
  })

  it('refuse the path of one machine, not a path that merely contains its name', () => {
    const find = (text: string) => findMachinePaths('a.md', text, ['/made/up'])
    expect(find('see /made/up/notes')).toEqual(['a.md:1 names /made/up of one machine'])
    expect(find("x\n'/made/up/notes'")).toEqual(['a.md:2 names /made/up of one machine'])
    expect(find('/elsewhere/made/up/notes /made/upper/x ./made/up/x')).toEqual([])
  })
})

describe('the lock', () => {
  it('refuse a pattern that looks for the end of a text from each place in it', () => {
    const slow = "const a = text.replace(/[ \\t]+$/, '')\nconst b = text.replace(/x*$/u, '')"
    expect(findSlowTrims('packages/a/src/a.ts', slow).map((fault: string) => fault.slice(0, 22))).toEqual([
      'packages/a/src/a.ts:1 ',
      'packages/a/src/a.ts:2 ',
    ])
    const fast = "text.replace(/(?<![ \\t])[ \\t]+$/, '')\ntext.replace(/^[ \\t]*$/, '')\ntext.replace(/[.:]$/, '')"
    expect(findSlowTrims('packages/a/src/a.ts', fast)).toEqual([])
  })

  it('must have an entry for every optional package', () => {
    const packages = {
      '': { name: 'house' },
      'node_modules/tool': { optionalDependencies: { 'tool-linux': '1', 'tool-darwin': '1' } },
      'node_modules/tool/node_modules/tool-linux': {},
    }
    expect(findMissingOptionals({ packages })).toEqual(['tool -> tool-darwin'])
  })

  it('must repeat what each workspace asks for', () => {
    const packages = { '': { devDependencies: { a: '1' } }, 'apps/x': { dependencies: { b: '1' } } }
    const manifests: Record<string, object> = {
      '': { devDependencies: { a: '1' } },
      'apps/x': { dependencies: { b: '2' } },
    }
    expect(findStaleManifests({ packages }, (key: string) => manifests[key])).toEqual([
      'apps/x: b is 1 in the lock and 2 in package.json',
    ])
  })
})
