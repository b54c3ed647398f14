import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../../redact/redactor'
import { actionDigestOf, digestOf, pinFiles } from './digest'
import { restoreInput, showInput } from './shown-input'

const key = Buffer.alloc(32, 7)
const action = { tool: 'Bash', input: { command: 'ls', timeout: 5 }, cwd: '/code', files: [], places: [] }

let dir: TempDir
beforeEach(() => {
  dir = tempDir('digest')
})
afterEach(() => dir.remove())

describe('[PERM-8.1] the digest of an action', () => {
  it('does not depend on the order of members', () => {
    const turned = { files: [], places: [], cwd: '/code', input: { timeout: 5, command: 'ls' }, tool: 'Bash' }
    expect(digestOf(turned, 'p', key)).toBe(digestOf(action, 'p', key))
  })

  it.each([
    ['the tool', { ...action, tool: 'Write' }],
    ['the input', { ...action, input: { command: 'ls ', timeout: 5 } }],
    ['the folder', { ...action, cwd: '/code/other' }],
    ['a file', { ...action, files: [{ path: '/a', sha256: 'x' }] }],
    ['where a link leads', { ...action, places: [{ name: 'a', real: ['/b'] }] }],
  ])('[A23] [A26] changes with %s', (_what, changed) => {
    expect(digestOf(changed, 'p', key)).not.toBe(digestOf(action, 'p', key))
  })

  it('changes with the process that asks and with the key; the digest for grants is the same for every process', () => {
    expect(digestOf(action, 'q', key)).not.toBe(digestOf(action, 'p', key))
    expect(digestOf(action, 'p', Buffer.alloc(32, 8))).not.toBe(digestOf(action, 'p', key))
    expect(actionDigestOf(action, key)).toBe(actionDigestOf({ ...action }, key))
  })
})

describe('[PERM-8.6] the files that a command names', () => {
  const put = (name: string, content = name) => writeFileSync(join(dir.path, name), content)
  const pinned = (command: unknown, roots = [dir.path]) => pinFiles({ command }, dir.path, roots)
  const names = (command: unknown, roots?: string[]) =>
    pinned(command, roots).files.map(({ path }) => path.slice(dir.path.length + 1))

  it('are pinned by content, also behind quotes and signs', () => {
    put('a.sh')
    put('b c.txt')
    expect(names('sh ./a.sh>out; cat "b c.txt"')).toEqual(['a.sh', 'b c.txt'])
    expect(names(['cat', 'b c.txt'])).toEqual(['b c.txt'])
    const before = pinned('sh a.sh').files[0]?.sha256
    put('a.sh', 'changed')
    expect(pinned('sh a.sh').files[0]?.sha256).not.toBe(before)
  })

  it('[A26] are found where the command goes before it reads them, and below the home folder', () => {
    mkdirSync(join(dir.path, 'sub', 'deep'), { recursive: true })
    put('sub/run.sh')
    put('sub/deep/run.sh')
    put('other.sh')
    expect(names('cd sub && ./run.sh')).toEqual(['sub/run.sh'])
    expect(names('make -C sub -f deep/run.sh')).toEqual(['sub/deep/run.sh'])
    expect(names(`cd sub\ncd deep; sh run.sh ../../other.sh`)).toEqual(['other.sh', 'sub/deep/run.sh', 'sub/run.sh'])
    const home = process.env.HOME
    process.env.HOME = dir.path
    try {
      expect(names('sh ~/other.sh')).toEqual(['other.sh'])
      expect(names('cd $HOME/sub && sh run.sh')).toEqual(['sub/run.sh'])
    } finally {
      process.env.HOME = home
    }
  })

  it('says so when it names more folders than are looked into', () => {
    for (let i = 0; i < 20; i++) mkdirSync(join(dir.path, `d${i}`))
    put('d19/run.sh')
    const many = Array.from({ length: 20 }, (_, i) => `d${i}`).join(' ')
    expect(pinned(`ls ${many}; cd d19; sh run.sh`)).toEqual({ files: [], complete: false, printed: [] })
    expect(pinned(`ls ${many}`).complete).toBe(false)
    expect(pinned('ls d1 d2')).toEqual({ files: [], complete: true, printed: [] })
  })

  it('are not those that it only writes to, and are said where it writes to them and prints them', () => {
    put('log')
    put('run.sh')
    expect(names('echo a >> log 2>> log; cat run.sh')).toEqual(['run.sh'])
    // What reads may read what it writes to.
    expect(names('cat run.sh >> log 2>> log')).toEqual(['log', 'run.sh'])
    expect(names('sh run.sh >> log 2>> log')).toEqual(['log', 'run.sh'])
    expect(names('echo x >> run.sh; sh *.sh')).toEqual(['run.sh'])
    expect(names('echo x >> run.sh; sh run.sh')).toEqual(['run.sh'])
    symlinkSync(join(dir.path, 'run.sh'), join(dir.path, 'link'))
    expect(names('echo x >> link; sh run.sh')).toEqual(['run.sh'])
    expect(pinned('echo x >> log; cat log')).toMatchObject({ printed: [join(dir.path, 'log')] })
    expect(pinned('echo x >> run.sh; sh run.sh')).toMatchObject({ printed: [] })
  })

  it('are only regular files inside the roots, by their real path', () => {
    mkdirSync(join(dir.path, 'root'))
    mkdirSync(join(dir.path, 'root', 'folder'))
    put('outside')
    symlinkSync(join(dir.path, 'outside'), join(dir.path, 'root', 'link'))
    expect(names('cat root/link root/folder outside', [join(dir.path, 'root')])).toEqual([])
  })

  it('says when they were too many or too large', () => {
    for (let i = 0; i < 17; i++) put(`f${i}`)
    const many = pinned(Array.from({ length: 17 }, (_, i) => `f${i}`))
    expect([many.files.length, many.complete]).toEqual([16, false])
    put('large', 'x'.repeat(4 * 1024 * 1024 + 1))
    expect(pinned('cat large')).toEqual({ files: [], complete: false, printed: [] })
    expect(pinned('cat f1').complete).toBe(true)
  })
})

describe('[PERM-2] an input with hidden parts', () => {
  const one = `ghp_${'a1B2'.repeat(9)}`
  const two = `ghp_${'c3D4'.repeat(9)}`
  const shown = showInput({ command: `curl ${one}`, env: { again: two } }, createRedactor([]))

  it('marks each of them on its own', () => {
    expect(shown.value).toEqual({
      command: 'curl [redacted:github-token#1]',
      env: { again: '[redacted:github-token#2]' },
    })
  })

  it('is put together again around an edit', () => {
    const edited = { command: 'curl -v [redacted:github-token#1]', env: { again: '[redacted:github-token#2]' } }
    expect(restoreInput(edited, shown)).toEqual({ command: `curl -v ${one}`, env: { again: two } })
  })

  it.each([
    ['drops', { command: 'curl', env: { again: '[redacted:github-token#2]' } }],
    ['doubles', { command: '[redacted:github-token#1] [redacted:github-token#1]', env: '[redacted:github-token#2]' }],
  ])('refuses an edit that %s one', (_what, edited) => {
    expect(() => restoreInput(edited, shown)).toThrow(CodedError)
  })
})
