import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deniedBy } from './denied'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-denied-')))
  mkdirSync(path.join(root, 'work'))
  mkdirSync(path.join(root, 'secret'))
  writeFileSync(path.join(root, 'secret/key'), 'k')
  symlinkSync(path.join(root, 'secret'), path.join(root, 'work/link'))
  symlinkSync(path.join(root, 'secret'), path.join(root, 'alias'))
})
afterEach(() => rmSync(root, { recursive: true }))

const rule = (input: unknown, denyPaths = [path.join(root, 'secret')], tool = 'Write') =>
  deniedBy({ tool, input, cwd: path.join(root, 'work'), files: [], places: [] }, { denyTools: ['WebFetch'], denyPaths })

describe('[POL-1] what the policy denies by name', () => {
  it('is a tool, or any path below a denied one, and nothing beside it', () => {
    expect(rule({}, [], 'WebFetch')).toBe('denyTools')
    expect(rule({ file_path: '../secret/key' })).toBe('denyPaths')
    expect(rule({ file_path: path.join(root, 'secret') })).toBe('denyPaths')
    expect(rule({ file_path: 'note.txt', content: '../secret/key' })).toBeNull()
    expect(rule({ file_path: `${root}/secrets` })).toBeNull()
    expect(rule({ file_path: '../secret/key' }, [])).toBeNull()
  })

  it('[A42] is found through links, in the action and in the rule, also for a file that is not there yet', () => {
    expect(rule({ file_path: 'link/key' })).toBe('denyPaths')
    expect(rule({ file_path: 'link/new/deep.txt' })).toBe('denyPaths')
    expect(rule({ notebook_path: 'link/a.ipynb' }, [path.join(root, 'alias')])).toBe('denyPaths')
  })

  it('[A42] is found in commands, in lists of changes and in the folder itself', () => {
    expect(rule({ command: "cat 'link/key' | sh" })).toBe('denyPaths')
    expect(rule({ command: ['sh', '-c', 'cp ../secret/key .'] })).toBe('denyPaths')
    expect(rule({ command: 'cat ~/.ssh/id' }, [path.join(os.homedir(), '.ssh')])).toBe('denyPaths')
    expect(rule({ command: 'cat "$HOME/.ssh/id"' }, [path.join(os.homedir(), '.ssh')])).toBe('denyPaths')
    expect(rule({ changes: [{ path: `${root}/secret/new`, diff: 'x' }] })).toBe('denyPaths')
    expect(rule({ changes: { [`${root}/secret/new`]: { add: 'x' } } })).toBe('denyPaths')
    expect(rule({ command: 'ls' }, [path.join(root, 'work')])).toBe('denyPaths')
    expect(rule({ command: 'echo hello' })).toBeNull()
  })

  it('[A42] is found where a command goes first, under names that programs shorten, and in fields of any name', () => {
    expect(rule({ command: 'cd .. && cat secret/key' })).toBe('denyPaths')
    expect(rule({ command: `cd ${root}; cd ./secret && cat key` })).toBe('denyPaths')
    expect(rule({ file_path: `${root}/${'./'.repeat(3_000)}secret/key` })).toBe('denyPaths')
    expect(rule({ file_path: '~/.ssh/id' }, [path.join(os.homedir(), '.ssh')])).toBe('denyPaths')
    expect(rule({ source: `${root}/secret/key`, destination: 'copy' })).toBe('denyPaths')
    expect(rule({ a: { b: { c: { d: { e: { f: { g: [{ path: '../secret/key' }] } } } } } } })).toBe('denyPaths')
    expect(rule({ command: 'cd .. && ls work' })).toBeNull()
  })
})
