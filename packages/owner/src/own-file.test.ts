import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  foreignSides,
  InTheWay,
  makeOwnFile,
  makeOwnFolder,
  openOwnFile,
  readOwnFile,
  replaceOwnFile,
  requireOwnDatabase,
  requireOwnFile,
} from './own-file'

let folder: string
let file: string
let foreign: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-own-file-'))
  file = path.join(folder, 'own')
  foreign = path.join(folder, 'foreign')
  writeFileSync(foreign, 'precious')
})
afterEach(() => {
  expect(readFileSync(foreign, 'utf8')).toBe('precious')
  rmSync(folder, { recursive: true })
})

const fifo = (place: string) => expect(spawnSync('mkfifo', [place]).status).toBe(0)
/** Of a process that could wait for a pipe: its end shows that it does not. */
const inTheWay: Array<[string, () => unknown]> = [
  ['a link', () => symlinkSync(foreign, file)],
  ['a named pipe', () => fifo(file)],
  ['a folder', () => mkdirSync(file)],
  ['a device', () => symlinkSync('/dev/null', file)],
]

describe("[STORE-5] a small file of one's own", () => {
  it.each(inTheWay)('is not %s: that is neither read nor written, and named in one sentence', (what, put) => {
    put()
    const said = `${file} is ${what === 'a device' ? 'a link' : what} and no ordinary file: move it away.`
    const { O_WRONLY, O_RDWR, O_APPEND, O_CREAT } = constants
    for (const ask of [
      () => readOwnFile(file),
      () => openOwnFile(file, O_WRONLY | O_APPEND | O_CREAT),
      () => openOwnFile(file, O_RDWR | O_CREAT),
      () => requireOwnFile(file),
    ]) {
      expect(ask).toThrow(InTheWay)
      expect(ask).toThrow(said)
    }
  })

  it('is no socket either', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(file, resolve))
    expect(() => readOwnFile(file)).toThrow(`${file} is a socket and no ordinary file`)
    await new Promise((resolve) => server.close(resolve))
  })

  it('[STORE-5.23] may be reached by a link where a person made it, and then leads to a file, not to a pipe or a device', () => {
    symlinkSync(foreign, file)
    expect(readOwnFile(file, { links: 'followed' })).toBe('precious')
    rmSync(file)
    fifo(path.join(folder, 'pipe'))
    for (const [place, what] of [
      [path.join(folder, 'pipe'), 'a named pipe'],
      ['/dev/zero', 'a device'],
    ] as const) {
      symlinkSync(place, file)
      expect(() => readOwnFile(file, { links: 'followed' })).toThrow(`${file} is ${what} and no ordinary file`)
      rmSync(file)
    }
  })

  it('lies in a folder that may be a link', () => {
    const real = path.join(folder, 'real')
    mkdirSync(real)
    symlinkSync(real, path.join(folder, 'home'))
    const own = path.join(folder, 'home', 'own')
    replaceOwnFile(own, 'text')
    expect(readOwnFile(own)).toBe('text')
    requireOwnFile(own)
  })

  it('is not read where it is larger than such a file ever is', () => {
    writeFileSync(file, '')
    truncateSync(file, 20 * 1024 ** 3)
    expect(() => readOwnFile(file)).toThrow('is larger than 16777216 bytes: move it away.')
    expect(() => readOwnFile(file, { most: 10 })).toThrow('is larger than 10 bytes')
  })

  it('that is absent, or may not be reached, is said in the code of the system', () => {
    for (const [place, code] of [
      [file, 'ENOENT'],
      [path.join(foreign, 'below'), 'ENOTDIR'],
    ] as const) {
      expect(() => readOwnFile(place)).toThrow(expect.objectContaining({ code }))
      expect(() => requireOwnFile(place)).not.toThrow()
    }
  })

  it('is made in the place of what was left there, a link or a pipe too, but of no folder and no device', () => {
    for (const put of [() => symlinkSync(foreign, file), () => fifo(file), () => writeFileSync(file, 'left')]) {
      put()
      const handle = makeOwnFile(file)
      writeSync(handle, 'new')
      closeSync(handle)
      expect([lstatSync(file).isFile(), readFileSync(file, 'utf8')]).toEqual([true, 'new'])
      rmSync(file)
    }
    mkdirSync(file)
    expect(() => makeOwnFile(file)).toThrow(`${file} is a folder`)
    expect(() => makeOwnFile('/dev/null')).toThrow('/dev/null is a device')
    expect(existsSync('/dev/null')).toBe(true)
  })

  it('[STORE-5.17] is replaced whole, through no link: neither its own name nor that of its draft', () => {
    symlinkSync(foreign, file)
    symlinkSync(foreign, `${file}.${process.pid}`)
    replaceOwnFile(file, 'text', { flush: true })
    expect([lstatSync(file).isFile(), readFileSync(file, 'utf8')]).toEqual([true, 'text'])
    expect(readdirSync(folder).sort()).toEqual(['foreign', 'own'])
  })
})

describe('[STORE-5] beside a database', () => {
  it.each(['-journal', '-wal', '-shm'])('a pipe at %s is in the way of SQLite, and found', (side) => {
    writeFileSync(file, '')
    requireOwnDatabase(file)
    fifo(`${file}${side}`)
    expect(() => requireOwnDatabase(file)).toThrow(`${file}${side} is a named pipe`)
    expect(foreignSides(file)).toEqual([`${file}${side}`])
  })
})

describe("[STORE-5] a folder of one's own", () => {
  it('[STORE-5.18] takes the place of a link; what is in the one that it led to stays', () => {
    const other = path.join(folder, 'other')
    mkdirSync(other)
    writeFileSync(path.join(other, 'kept'), '')
    symlinkSync(other, file)
    makeOwnFolder(file)
    expect([lstatSync(file).isDirectory(), readdirSync(file), readdirSync(other)]).toEqual([true, [], ['kept']])
    writeFileSync(path.join(file, 'mine'), '')
    makeOwnFolder(file)
    expect(readdirSync(file)).toEqual(['mine'])
  })
})
