import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askVersion } from './ask-version'
import { findProgram } from './find-program'

let root = ''
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'find-program-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function program(folder: string, text = ''): Promise<string> {
  const file = join(root, folder, 'coder')
  await mkdir(join(root, folder))
  await writeFile(file, text)
  await chmod(file, 0o755)
  return file
}

describe.skipIf(process.platform === 'win32')('a program', () => {
  it('is the first one on the PATH that can be run, never through a relative entry', async () => {
    await mkdir(join(root, 'folder', 'coder'), { recursive: true })
    await mkdir(join(root, 'text'))
    await writeFile(join(root, 'text', 'coder'), '')
    const file = await program('bin')
    await program('later')
    const PATH = ['.', 'bin', ...['folder', 'text', 'bin', 'later'].map((name) => join(root, name))].join(':')
    expect(await findProgram('coder', { env: { PATH } })).toBe(file)
  })

  it('is the pinned one, which no other replaces', async () => {
    const file = await program('bin')
    const env = { PATH: join(root, 'bin') }
    expect(await findProgram('other', { env, binaryPath: file })).toBe(file)
    const gone = join(root, 'gone')
    await expect(findProgram('coder', { env, binaryPath: gone })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: `There is no program at ${gone}.`,
    })
  })

  it('that is nowhere is BACKEND_UNAVAILABLE', async () => {
    await expect(findProgram('coder', { env: {} })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: 'The program coder is not on the PATH of this machine.',
    })
  })

  it('says its version, or why it cannot', async () => {
    const script = join(root, 'coder.cjs')
    const ask = async (source: string) => {
      await writeFile(script, source)
      const question = { name: 'coder', file: process.execPath, args: [script], env: {}, workDir: root }
      return askVersion({ ...question, timeoutMs: 20_000 }).catch(({ message }) => message)
    }
    expect(await ask('console.log("coder 1.22.333-beta of today")')).toBe('1.22.333-beta')
    expect(await ask('process.exit(1)')).toBe('coder --version failed.')
    expect(await ask('console.error("\\n \\u001b[31mno disk\\u001b[0m\\nat x"); process.exit(1)')).toBe(
      'coder --version failed: no disk',
    )
  })
})
