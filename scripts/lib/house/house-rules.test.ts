import { describe, expect, it } from 'vitest'
import { findMissingOptionals, findStaleManifests } from '../../check-lock.mjs'
import {
  findCrowdedFolders,
  findFocusedTests,
  findLongFile,
  findMachinePaths,
  findShells,
  findSlowTrims,
  findWideInterfaces,
  withoutKnown,
} from './house-rules.mjs'

describe('the house rules', () => {
  it('refuse a source file of more than 350 lines, a test of more than 400, and leave generated files and fixtures alone', () => {
    const text = 'x\n'.repeat(401)
    expect(findLongFile('apps/hub/src/big.ts', 'x\n'.repeat(351))).toEqual([
      'apps/hub/src/big.ts has 351 lines, 350 is the limit',
    ])
    expect(findLongFile('apps/hub/src/full.ts', 'x\n'.repeat(350))).toEqual([])
    expect(findLongFile('apps/hub/src/a.test.ts', text)).toEqual([
      'apps/hub/src/a.test.ts has 401 lines, 400 is the limit',
    ])
    expect(findLongFile('apps/hub/src/a.test.ts', 'x\n'.repeat(400))).toEqual([])
    expect(findLongFile('packages/a/fixtures/big.ts', text)).toEqual([])
    expect(findLongFile('docs/big.md', text)).toEqual([])
  })

  it('refuse a folder of more than 25 source files; tests, generated files and its rooms do not count', () => {
    const files = (count: number, ending = '.ts') => Array.from({ length: count }, (_, n) => `a/b/f${n}${ending}`)
    const beside = [...files(9, '.test.ts'), 'a/b/generated/x.ts', 'a/b/room/y.ts', 'a/b/words.md']
    expect(findCrowdedFolders([...files(25), ...beside])).toEqual([])
    expect(findCrowdedFolders([...files(26), ...beside])).toEqual([
      'a/b has 26 source files beside each other, 25 is the limit',
    ])
  })

  it('refuse an interface of more than 15 members, however long each of them is', () => {
    const member = (n: number) => `  /** Said. */\n  m${n}(\n    one: string,\n  ): { two: string }\n`
    const wide = (count: number) =>
      `export interface Wide<T> {\n${Array.from({ length: count }, (_, n) => member(n)).join('')}}\n`
    expect(findWideInterfaces('a.ts', wide(15))).toEqual([])
    expect(findWideInterfaces('a.ts', `${wide(3)}${wide(16)}`)).toEqual(['a.ts Wide has 16 members, 15 is the limit'])
  })

  it('excuse what is known, and no excuse without its fault', () => {
    expect(withoutKnown(['a.ts has 351 lines', 'a.ts Wide has 16 members'], ['a.ts Wide'])).toEqual([
      'a.ts has 351 lines',
    ])
    expect(withoutKnown([], ['a.ts'])).toEqual(['scripts/house-rules.mjs excuses a.ts, which needs it no more'])
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
