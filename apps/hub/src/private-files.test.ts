import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepPrivate } from './private-files'

let folder: string
const umask = process.umask()
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-private-'))
})
afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true, force: true })
})

const at = (name: string) => path.join(folder, name)
const modeOf = (name: string) => (statSync(at(name)).mode & 0o777).toString(8)

describe('[STORE-4.1] the data folder', () => {
  it('[STORE-4.3] closes what was open: the folder, the database with its logs and copies, the secret', () => {
    const names = ['hub.db', 'hub.db-wal', 'hub.db.before-upgrade', 'secret', 'hub.json']
    for (const name of names) writeFileSync(at(name), 'x', { mode: 0o644 })
    for (const name of names) chmodSync(at(name), 0o664)
    chmodSync(folder, 0o755)
    expect(keepPrivate(folder)).toEqual([])
    expect(['.', ...names].map(modeOf)).toEqual(['700', '600', '600', '600', '600', '600'])
  })

  it('touches no file of somebody else, and none behind a link', () => {
    writeFileSync(at('notes.txt'), 'x')
    writeFileSync(at('elsewhere'), 'x')
    chmodSync(at('notes.txt'), 0o644)
    chmodSync(at('elsewhere'), 0o644)
    symlinkSync(at('elsewhere'), at('secret'))
    expect(keepPrivate(folder)).toEqual([])
    expect([modeOf('notes.txt'), modeOf('elsewhere')]).toEqual(['644', '644'])
  })

  it('makes the folder, and files that come later, private', () => {
    const data = at('data')
    keepPrivate(data)
    writeFileSync(path.join(data, 'anything'), 'x')
    mkdirSync(path.join(data, 'inside'))
    expect(['data', 'data/anything', 'data/inside'].map(modeOf)).toEqual(['700', '600', '700'])
  })
})
