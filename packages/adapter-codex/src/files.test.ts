/** What touches the machine: finding the program, and taking away what a session leaves. */
import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { markedBy } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBinary } from './program/binary'
import { endLeftovers } from './program/leftovers'
import { removeStrayMounts, watchStrayMounts } from './program/stray-mounts'

let root = ''
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'codex-files-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function program(...path: string[]): Promise<string> {
  const file = join(root, ...path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  await chmod(file, 0o755)
  return file
}

describe.skipIf(process.platform === 'win32')('findBinary', () => {
  const platformPackage = `codex-${process.platform}-${process.arch}`
  const native = ['vendor', 'some-triple', 'bin', 'codex']

  it('prefers the native program to the launcher that npm links', async () => {
    const launcher = await program('node_modules/@openai/codex/bin/codex.js')
    const binary = await program('node_modules/@openai', platformPackage, ...native)
    await mkdir(join(root, 'bin'))
    await symlink(launcher, join(root, 'bin', 'codex'))
    expect(await findBinary({ env: { PATH: `relative:${join(root, 'nothing')}:${join(root, 'bin')}` } })).toBe(binary)
  })

  it('finds it also where npm nested the platform package', async () => {
    const launcher = await program('codex/bin/codex.js')
    const binary = await program('codex/node_modules/@openai', platformPackage, ...native)
    expect(await findBinary({ binaryPath: launcher, env: {} })).toBe(binary)
  })

  it('falls back to the launcher where the package looks different', async () => {
    const launcher = await program('codex/bin/codex.js')
    expect(await findBinary({ binaryPath: launcher, env: {} })).toBe(launcher)
  })

  it('a pinned path that does not exist is not replaced by another program', async () => {
    await program('bin/codex')
    const found = findBinary({ binaryPath: join(root, 'gone'), env: { PATH: join(root, 'bin') } })
    await expect(found).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  })
})

describe.skipIf(process.platform !== 'linux')('endLeftovers', () => {
  /** A process of its own session that has left its parent, as a daemon of the model would. */
  function daemon(env: Record<string, string>) {
    const child = spawn('sleep', ['600'], { env: { PATH: process.env.PATH, ...env }, detached: true, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    return { child, ended, isRunning: () => child.exitCode === null && child.signalCode === null }
  }

  it('ends what carries the temporary folder of the session, and nothing else', async () => {
    const ours = daemon({ ROUNDHOUSE_CODEX: root, CODEX_TOOL_CALL_ID: 'c1' })
    const other = daemon({ ROUNDHOUSE_CODEX: `${root}-2` })
    try {
      await endLeftovers(markedBy, root, 'c2')
      expect([ours.isRunning(), other.isRunning()]).toEqual([true, true])
      await endLeftovers(markedBy, root, 'c1')
      expect(await ours.ended).toBe('SIGKILL')
      await endLeftovers(markedBy, root)
      expect(other.isRunning()).toBe(true)
    } finally {
      for (const { child } of [ours, other]) child.kill('SIGKILL')
    }
  })
})

describe.skipIf(process.platform !== 'linux')('stray mounts', () => {
  it('takes away only empty folders that were not there before', async () => {
    await mkdir(join(root, '.codex'))
    const watched = await watchStrayMounts([root])
    for (const name of ['.git', '.agents', '.aws']) await mkdir(join(root, name))
    await writeFile(join(root, '.agents', 'kept'), '')
    await removeStrayMounts(watched)
    expect((await readdir(root)).sort()).toEqual(['.agents', '.codex'])
  })
})
