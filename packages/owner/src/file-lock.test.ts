import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isFileLocked, tryFileLock } from './file-lock'
import { Holder } from './testing/holders'

const crowd: Holder[] = []
let folder: string
let file: string

beforeAll(async () => {
  crowd.push(...(await Promise.all(Array.from({ length: 4 }, () => Holder.start()))))
})
afterAll(() => Promise.all(crowd.map((one) => one.kill())))
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-file-lock-'))
  file = path.join(folder, 'a.lock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const damages = ['x', 'no lock '.repeat(1_000)]
const places = [
  { found: 'no file', left: null },
  ...damages.map((left) => ({ found: `a damaged file of ${left.length} bytes`, left })),
]

describe('[STORE-5] [RES-4] the lock of a file', () => {
  it.each(places)(
    'is given to exactly one of several processes at the same instant, where it finds $found',
    async ({ left }) => {
      if (left !== null) writeFileSync(file, left)
      for (let round = 0; round < 10; round += 1) {
        const answers = await Promise.all(crowd.map((one) => one.order('file', file)))
        expect(answers.sort()).toEqual(['held', 'refused', 'refused', 'refused'])
        await Promise.all(crowd.map((one) => one.order('release')))
      }
    },
  )

  it('is waited for by one that has patience', async () => {
    const [holder] = crowd
    expect(await holder?.order('file', file)).toBe('held')
    const released = holder?.order('release')
    const lock = tryFileLock(file, 20_000)
    expect(lock).not.toBeNull()
    lock?.release()
    await released
  })

  it('[STORE-5.4] is held by a process until it is killed, by whatever path the file is reached', async () => {
    const holder = crowd.pop()
    expect(await holder?.order('file', file)).toBe('held')
    symlinkSync(folder, path.join(folder, 'link'))
    for (const spelling of [file, path.join(folder, 'link/a.lock')]) {
      expect([tryFileLock(spelling), isFileLocked(spelling)]).toEqual([null, true])
    }
    await holder?.kill()
    expect(isFileLocked(file)).toBe(false)
    const lock = tryFileLock(file)
    expect(lock).not.toBeNull()
    lock?.release()
  })

  it('is free again when it is given back, and leaves nothing but its file', () => {
    const lock = tryFileLock(file)
    expect([tryFileLock(file), isFileLocked(file)]).toEqual([null, true])
    lock?.release()
    expect(isFileLocked(file)).toBe(false)
    expect(readdirSync(folder)).toEqual(['a.lock'])
  })

  it('is held by nobody where its file is damaged or was never made, and to ask makes none', () => {
    expect(isFileLocked(file)).toBe(false)
    expect(existsSync(file)).toBe(false)
    for (const damage of damages) {
      writeFileSync(file, damage)
      expect(isFileLocked(file)).toBe(false)
      const lock = tryFileLock(file)
      expect([tryFileLock(file), isFileLocked(file)]).toEqual([null, true])
      lock?.release()
    }
  })

  it('is refused with an error where nobody can lock: a folder in its place, no folder at all', () => {
    mkdirSync(file)
    expect(() => tryFileLock(file)).toThrow(`${file} is a folder and no ordinary file: move it away.`)
    expect(() => tryFileLock(path.join(folder, 'none/a.lock'))).toThrow('directory does not exist')
  })

  it.each<[string, (foreign: string) => void, string]>([
    ['a link', (foreign) => symlinkSync(foreign, file), 'is a link and no ordinary file'],
    ['a link that leads nowhere', () => symlinkSync(path.join(folder, 'none'), file), 'is a link and no ordinary file'],
    ['another name of a file', (foreign) => linkSync(foreign, file), 'is a file that has another name, and no lock'],
    ['a pipe', () => spawnSync('mkfifo', [file]), 'is a named pipe and no ordinary file'],
  ])('is not taken, nor looked at, where %s is in its place; what that leads to stays', (_what, put, said) => {
    const foreign = path.join(folder, 'foreign')
    writeFileSync(foreign, damages[1] ?? '')
    put(foreign)
    for (const ask of [tryFileLock, isFileLocked]) expect(() => ask(file)).toThrow(`${file} ${said}: move it away.`)
    expect(readFileSync(foreign, 'utf8')).toBe(damages[1])
    expect(existsSync(path.join(folder, 'none'))).toBe(false)
  })

  it('waits for no pipe where SQLite keeps what it must undo', () => {
    spawnSync('mkfifo', [`${file}-journal`])
    for (const ask of [tryFileLock, isFileLocked]) expect(() => ask(file)).toThrow('a.lock-journal is a named pipe')
  })

  it('[STORE-5.15] [STORE-5.16] keeps what was in a damaged one, and is not taken in the place of a large file', () => {
    writeFileSync(file, damages[1] ?? '')
    tryFileLock(file)?.release()
    const [kept = ''] = readdirSync(folder).filter((name) => name.startsWith('a.lock.broken-'))
    expect(readFileSync(path.join(folder, kept), 'utf8')).toBe(damages[1])
    const large = 'no lock '.repeat(200_000)
    writeFileSync(file, large)
    expect(() => tryFileLock(file)).toThrow(`${file} is a large file, and no lock: move it away.`)
    expect(readFileSync(file, 'utf8')).toBe(large)
  })
})
