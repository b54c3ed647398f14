import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deniedBy } from './denied'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-denied-')))
  mkdirSync(path.join(root, 'app'))
  mkdirSync(path.join(root, 'secret'))
  writeFileSync(path.join(root, 'secret/key'), 'k')
  symlinkSync(path.join(root, 'secret'), path.join(root, 'app/link'))
  symlinkSync(path.join(root, 'secret'), path.join(root, 'alias'))
})
afterEach(() => rmSync(root, { recursive: true }))

const rule = (input: unknown, denyPaths = [path.join(root, 'secret')], tool = 'Write') =>
  deniedBy({ tool, input, cwd: path.join(root, 'app') }, { denyTools: ['WebFetch'], denyPaths })

describe('[POL-1.5] what the policy denies by name', () => {
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
    expect(rule({ command: 'ls' }, [path.join(root, 'app')])).toBe('denyPaths')
    expect(rule({ command: 'echo hello' })).toBeNull()
  })

  it('[A42] is found where a command goes first, under names that programs shorten, and in fields of any name', () => {
    expect(rule({ command: 'cd .. && cat secret/key' })).toBe('denyPaths')
    expect(rule({ command: `cd ${root}; cd ./secret && cat key` })).toBe('denyPaths')
    expect(rule({ file_path: `${root}/${'./'.repeat(3_000)}secret/key` })).toBe('denyPaths')
    expect(rule({ file_path: '~/.ssh/id' }, [path.join(os.homedir(), '.ssh')])).toBe('denyPaths')
    expect(rule({ source: `${root}/secret/key`, destination: 'copy' })).toBe('denyPaths')
    expect(rule({ a: { b: { c: { d: { e: { f: { g: [{ path: '../secret/key' }] } } } } } } })).toBe('denyPaths')
    expect(rule({ command: 'cd .. && ls app' })).toBeNull()
  })

  it.each([
    'cat l*/key',
    'cat l?nk/key',
    'grep -r k l*',
    'grep -R k .',
    'rg --follow k',
    'find -L . -name key',
    'tar -chf x .',
    'diff -r . x',
  ])('[A42] [POL-4.4] is found behind a link that a command follows without its name: %s', (command) => {
    expect(rule({ command })).toBe('denyPaths')
    rmSync(path.join(root, 'app/link'))
    expect(rule({ command })).toBeNull()
  })

  it('[POL-4.4] is found below a link to a folder around it, by a command that goes into links', () => {
    symlinkSync(root, path.join(root, 'app/up'))
    expect(rule({ command: 'grep -R k .' }, [path.join(root, 'secret/key')])).toBe('denyPaths')
    expect(rule({ command: 'grep -r k .' }, [path.join(root, 'secret/key')])).toBeNull()
  })

  it.each([
    ['the address of a file in any field', { url: 'FILE' }],
    ['the same of a resource', { arguments: { uri: 'FILE' } }],
    ['a word of a command', { command: "curl -s 'FILE' | sh" }],
    ['a flag of a command', { command: ['fetch', '--from=FILE'] }],
    ['the key of a map', { changes: { FILE: { add: 'x' } } }],
  ])('[A42] is found as %s', (_what, input) => {
    const asks = (address: string) => rule(JSON.parse(JSON.stringify(input).replaceAll('FILE', address)))
    for (const address of [
      `file://${root}/secret/key`,
      `file:${root}/secret/key`,
      `FILE://localhost${root}/secret/key`,
      `file://127.0.0.1${root}/secret/key`,
      `file://${root}/app/%2e%2E/s%65cret/key`,
      `file://${root}/secret/key?x=1#here`,
      `file://${root}/app/%6Cink/key`,
      `jar:file:${root}/secret/key!/entry`,
    ])
      expect([address, asks(address)]).toEqual([address, 'denyPaths'])
    for (const address of [
      `file://${root}/secrets/key`,
      `file://elsewhere${root}/secret/key`,
      `https://example.com${root}/secret/key`,
      'file://',
      `file://${root}/%`,
    ])
      expect([address, asks(address)]).toEqual([address, null])
  })

  it('[A42] is found as well where a program takes such an address for a path', () => {
    expect(rule({ file_path: 'file:/../../secret/key' })).toBe('denyPaths')
    expect(rule({ command: 'cat file:/../../secret/key' })).toBe('denyPaths')
  })

  it('[A42] is no text that speaks of such an address', () => {
    expect(rule({ file_path: 'note.txt', content: `Look at file://${root}/secret/key` })).toBeNull()
  })

  it('[A42] is a denied file under each of its names, while it is there', () => {
    const key = path.join(root, 'secret/key')
    linkSync(key, path.join(root, 'app/plain.txt'))
    symlinkSync('plain.txt', path.join(root, 'app/soft.txt'))
    writeFileSync(path.join(root, 'app/other.txt'), 'k')
    for (const name of ['plain.txt', 'soft.txt']) {
      expect(rule({ file_path: name }, [key])).toBe('denyPaths')
      expect(rule({ command: `cat ./${name}` }, [path.join(root, 'alias/key')])).toBe('denyPaths')
    }
    expect(rule({ file_path: 'other.txt' }, [key])).toBeNull()
    expect(rule({ file_path: 'new.txt' }, [key])).toBeNull()
    rmSync(key)
    expect(rule({ file_path: 'plain.txt' }, [key])).toBeNull()
  })
})
