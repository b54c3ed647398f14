import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { tempDir } from '../../../../../packages/adapter-testkit/src/index'
import { wideActionOf } from '../../actions/wide-action'
import { shaped } from '../../testing/tool-shapes'
import { coversAction, exactScope, offeredScopes } from './offered-scopes'

const temp = tempDir('scopes')
const root = realpathSync(temp.path)
mkdirSync(join(root, 'src'))
afterAll(() => temp.remove())

const actionOf = (tool: string, input: object) => wideActionOf(shaped({ toolName: tool }), input, root, [root])
const offers = (tool: string, input: object, suggested?: string[][]) =>
  offeredScopes(actionOf(tool, input), { roots: [root], suggested }).map(({ label }) => label)

const change = (file: string, kind: object = { type: 'update', move_path: null }) => ({ path: file, kind, diff: '' })

describe('what "allow for session" offers', () => {
  it('[PERM-5.8] for a command of Codex, which it runs as the text of a login shell', () => {
    const here = `commands that begin with “npm test”, in ${root}`
    expect(offers('commandExecution', { command: "/bin/bash -lc 'npm test -s'", cwd: root })).toEqual([
      exactScope.label,
      here,
    ])
    expect(offers('commandExecution', { command: '/bin/bash -lc ls', cwd: root })).toHaveLength(2)
    for (const command of [
      'bash -lc "npm test"',
      "/bin/bash -lc 'npm test' x",
      "/tmp/bin/bash -lc 'npm test'",
      'npm test',
    ])
      expect(offers('commandExecution', { command })).toEqual([])
    expect(offers('commandExecution', { command: "/bin/bash -lc 'npm test'", additionalPermissions: {} })).toEqual([])
    expect(offers('writeStdin', { command: "/bin/bash -lc 'npm test'" })).toEqual([])
    expect(offers('Bash', { command: "/bin/bash -lc 'npm test'" })).toEqual([])
  })

  it('[PERM-5.11] as the program suggests it, where that may be said', () => {
    const labels = offers('Bash', { command: 'touch src/a.txt' }, [['touch', 'src/a.txt']])
    expect(labels.slice(1)).toEqual([
      `commands that begin with “touch”, in ${root}`,
      `commands that begin with “touch src/a.txt”, in ${root}`,
    ])
    expect(offers('Bash', { command: 'npm run lint' }, [['npm', 'run', 'lint']])).toHaveLength(2)
    expect(offers('Bash', { command: 'npm run lint' }, [['npm', 'run']])).toHaveLength(2)
    expect(offers('Bash', { command: 'rm -r build' }, [['rm']])).toEqual([])
  })

  it('[PERM-5.20] no comparison of folders, in which a link of the same name may lead out', () => {
    for (const folder of ['one', 'two']) mkdirSync(join(root, folder))
    for (const file of ['one/x', 'y']) writeFileSync(join(root, file), 'text')
    symlinkSync('/etc/hosts', join(root, 'two/x'))
    expect(offers('Bash', { command: 'diff -u one/x y' })).toEqual([
      exactScope.label,
      `commands that begin with “diff”, in ${root}`,
    ])
    for (const command of ['diff -u one two', 'diff y two', 'diff y .']) {
      expect(offers('Bash', { command }).slice(1)).toEqual([])
    }
  })

  it('[PERM-5] for a change of files by Codex: of one the file, of several the folder that holds them', () => {
    const one = { changes: [change(join(root, 'src/a.ts'), { type: 'add' })] }
    expect(offers('fileChange', one).slice(1)).toEqual([
      `edits of ${root}/src/a.ts`,
      `edits of files in ${root}/src and below it, hidden files left out`,
    ])
    const two = { changes: [change(join(root, 'src/a.ts')), change(join(root, 'b.ts'))] }
    expect(offers('fileChange', two).slice(1)).toEqual([
      `edits of files in ${root} and below it, hidden files left out`,
    ])
  })

  it.each([
    ['that deletes', { changes: [change('a.ts', { type: 'delete' })] }],
    ['that moves a file out', { changes: [change('a.ts', { type: 'update', move_path: '/etc/a' })] }],
    ['outside the roots', { changes: [change('/etc/a')] }],
    ['of a kind that is not known', { changes: [change('a.ts', {})] }],
    ['that asks for a whole folder', { changes: [change('a.ts')], grantRoot: '/' }],
    ['of nothing', { changes: [] }],
    ['that is cut', { changes: [null] }],
  ])('[PERM-5] for a change %s is nothing but exactly this', (_what, input) => {
    expect(offers('fileChange', input)).toEqual([])
  })

  it('[PERM-5.28] for an MCP tool is every call of it, under the words that people read', () => {
    expect(offers('mcp__sums__add', { a: 1 })).toEqual([exactScope.label, 'every call of sums: add'])
    expect(offers('WebFetch', { url: 'https://x' })).toEqual([])
  })

  it('[PERM-5.17] in one folder covers nothing in another', () => {
    const [, wider] = offeredScopes(actionOf('Bash', { command: 'npm test' }), { roots: [root] })
    const elsewhere = wideActionOf(shaped({ toolName: 'Bash' }), { command: 'npm test' }, join(root, 'src'), [root])
    if (wider?.scope.kind !== 'commands') throw new Error('commands are offered')
    expect(coversAction(wider.scope, actionOf('Bash', { command: 'npm test' }))).toBe(true)
    expect(coversAction(wider.scope, elsewhere)).toBe(false)
    expect(coversAction(wider.scope, actionOf('commandExecution', { command: "/bin/sh -lc 'npm test'" }))).toBe(false)
  })
})
