import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsOf } from '../settings'
import type { Shell } from './shell'
import { runTool } from './tools'

let dir: TempDir
let workDir: string
beforeEach(() => {
  dir = tempDir('tools')
  workDir = join(dir.path, 'work')
  mkdirSync(workDir)
})
afterEach(() => dir.remove())

const shell = (more: Partial<Shell> = {}): Shell => ({
  workDir,
  env: { COLOUR: 'vermilion' },
  settings: settingsOf({ sessionId: 'session' }),
  signal: new AbortController().signal,
  ...more,
})
const bash = (command: string, more?: Partial<Shell>) => runTool(shell(more), { name: 'Bash' }, { command })

it.each([
  ['echo "a b"  c', 'a b c\n'],
  ['printf "a\\n"', 'a\n'],
  ['printenv COLOUR', 'vermilion\n'],
  ['echo one; echo two && echo three', 'one\ntwo\nthree\n'],
  ['echo "a; b"', 'a; b\n'],
  ['npm publish', ''],
])('the shell that runs nothing understands: %s', async (command, output) => {
  expect(await bash(command)).toEqual({ output, failed: false })
})

it('writes into files of the workspace, and adds to them', async () => {
  await bash('echo one > notes.txt && echo two >> notes.txt')
  expect(readFileSync(join(workDir, 'notes.txt'), 'utf8')).toBe('one\ntwo\n')
  expect(await bash('cat notes.txt')).toEqual({ output: 'one\ntwo\n', failed: false })
})

it('stops at the first command that fails', async () => {
  expect(await bash('echo one; false; echo two')).toEqual({ output: 'one\n', failed: true })
  expect(await bash('printenv NOT_THERE')).toMatchObject({ failed: true })
})

it('an interrupt ends a sleep', async () => {
  const stop = new AbortController()
  const sleeping = bash('sleep 3600; echo never', { signal: stop.signal })
  stop.abort()
  expect(await sleeping).toEqual({ output: '', failed: false })
})

it('nothing leaves the workspace: no absolute path, no dots, no link', async () => {
  const outside = join(dir.path, 'outside.txt')
  writeFileSync(outside, 'secret')
  symlinkSync(dir.path, join(workDir, 'link'))
  for (const path of [outside, '../outside.txt', 'link/outside.txt', 'link/new.txt']) {
    expect(await runTool(shell(), { name: 'Write' }, { file_path: path, content: 'x' })).toMatchObject({ failed: true })
    expect(await runTool(shell(), { name: 'Read' }, { file_path: path })).toMatchObject({ failed: true })
    expect(await bash(`echo x > ${path}`)).toMatchObject({ failed: true })
  }
  expect(readFileSync(outside, 'utf8')).toBe('secret')
})

it('edits one place of a file', async () => {
  writeFileSync(join(workDir, 'a.txt'), 'the old way')
  const input = { file_path: 'a.txt', old_string: 'old', new_string: '$& new' }
  expect(await runTool(shell(), { name: 'Edit' }, input)).toEqual({ output: 'Wrote a.txt', failed: false })
  expect(readFileSync(join(workDir, 'a.txt'), 'utf8')).toBe('the $& new way')
})

it('the script’s own output wins, and says whether it failed', async () => {
  const call = { name: 'Bash', output: 'E404', isError: true }
  expect(await runTool(shell(), call, { command: 'npm publish' })).toEqual({ output: 'E404', failed: true })
})
