import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { profiles } from '../profiles'
import { startOf } from './launcher'

let root: TempDir
beforeEach(() => {
  root = tempDir('launcher')
})
afterEach(() => root.remove())

const at = (name: string) => join(root.path, name)
const file = (name: string) => {
  writeFileSync(at(name), '')
  chmodSync(at(name), 0o755)
  return at(name)
}

describe.skipIf(process.platform === 'win32')('Qwen Code', () => {
  it('is started as the program behind its launcher, where that is the one which was found', async () => {
    const [node, program, launcher] = ['node', 'cli.js', 'cli-entry.js'].map(file)
    symlinkSync(launcher ?? '', at('qwen'))
    expect(await startOf(profiles.qwen, at('qwen'), { PATH: root.path })).toEqual({ file: node, before: [program] })
  })

  it('is started as it was found where there is no such launcher, or nothing behind it', async () => {
    const launcher = file('cli-entry.js')
    for (const found of [launcher, file('own-qwen')])
      expect(await startOf(profiles.qwen, found, { PATH: root.path })).toEqual({ file: found, before: [] })
  })
})
