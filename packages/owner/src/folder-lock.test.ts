import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FolderOwner, folderOwner, tryFolderLock } from './folder-lock'
import { Holder } from './testing/holders'

let parent: string
let holder: Holder
const at = (folder: string, name: string) => path.join(parent, folder, name)
const read = (folder = 'data'): FolderOwner => JSON.parse(readFileSync(at(folder, 'name.json'), 'utf8'))
const lockIn = (folder: string, written: Partial<FolderOwner> | null) => {
  const lock = tryFolderLock(at(folder, 'a.lock'), () => written)
  lock?.release()
  return lock === null ? 'owned' : 'free'
}

beforeEach(async () => {
  parent = mkdtempSync(path.join(os.tmpdir(), 'rh-folder-lock-'))
  mkdirSync(path.join(parent, 'data'))
  holder = await Holder.start()
  expect(await holder.order('folder', at('data', 'a.lock'), at('data', 'name.json'))).toBe('held')
})
afterEach(async () => {
  await holder.kill()
  rmSync(parent, { recursive: true })
})

describe('[STORE-5] the owner of a folder', () => {
  it('[STORE-5.7] owns it as long as it lives, also where its lock file is deleted', async () => {
    expect(lockIn('data', null)).toBe('owned')
    rmSync(at('data', 'a.lock'))
    expect(lockIn('data', read())).toBe('owned')
    await holder.kill()
    expect(lockIn('data', read())).toBe('free')
  })

  it('[STORE-5.6] is not a process that only has its number, nor one of before the last boot, nor what a torn file says', () => {
    rmSync(at('data', 'a.lock'))
    const { pid, start, folder, bootId } = read()
    for (const stale of [{ start: '1' }, { bootId: 'an earlier one' }]) {
      expect(lockIn('data', { ...read(), ...stale })).toBe('free')
    }
    for (const torn of [{}, { pid }, { pid, start }, { pid, start, bootId }, { pid, folder }]) {
      expect(lockIn('data', torn)).toBe('free')
    }
  })

  it('[STORE-5.8] does not own a copy of the folder, nor is it the one who asks', () => {
    cpSync(path.join(parent, 'data'), path.join(parent, 'copy'), { recursive: true })
    expect(lockIn('copy', read('copy'))).toBe('free')
    writeFileSync(at('copy', 'name.json'), JSON.stringify(folderOwner(path.join(parent, 'copy'))))
    expect(lockIn('copy', read('copy'))).toBe('free')
  })
})
