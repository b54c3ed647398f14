import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { identify } from '@roundhouse/owner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeFolderLock } from './folder-lock'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'rh-lock-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const file = (name: string) => path.join(dataDir, name)
const name = (holder: object) => writeFileSync(file('hub.lock.json'), JSON.stringify(holder))
const folderOf = (place: string) => `${statSync(place).dev}:${statSync(place).ino}`
const here = () => ({ what: 'hub', host: os.hostname(), since: 0, folder: folderOf(dataDir) })

describe('[STORE-5] the lock of a data folder', () => {
  it('[STORE-5.1] [STORE-5.4] is held once, by whatever path, and free again when it is given back', async () => {
    const link = `${dataDir}-link`
    symlinkSync(dataDir, link)
    const lock = await takeFolderLock(dataDir, 'hub')
    const refused = takeFolderLock(link, 'hub')
    await expect(refused).rejects.toMatchObject({ code: 'ALREADY_RUNNING' })
    await expect(refused).rejects.toThrow(`A hub already runs on ${link} (process ${process.pid}, since 2`)
    lock.release()
    expect(existsSync(file('hub.lock.json'))).toBe(false)
    ;(await takeFolderLock(link, 'hub')).release()
    rmSync(link)
  })

  it('says what its holder does, and what to do', async () => {
    const lock = await takeFolderLock(dataDir, 'recover')
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toThrow(/^npm run recover works on .* when it has ended\.$/)
    name({ ...JSON.parse(readFileSync(file('hub.lock.json'), 'utf8')), what: 'hub' })
    await expect(takeFolderLock(dataDir, 'recover')).rejects.toThrow(/Stop the hub first, then run this again\.$/)
    lock.release()
  })

  it('[STORE-5.7] is not given to a second one where its file was deleted under a holder that lives', async () => {
    name({ ...here(), ...identify(process.ppid) })
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toThrow(`process ${process.ppid}`)
  })

  it('[STORE-5.6] is free where the process that is named has another start or was before the last boot', async () => {
    const other = identify(process.ppid)
    for (const stale of [{ start: '1' }, { bootId: 'an earlier one' }]) {
      name({ ...here(), ...other, ...stale })
      ;(await takeFolderLock(dataDir, 'hub')).release()
    }
  })

  it('[STORE-5.8] is not withheld from a copy of the folder that was made while its hub ran', async () => {
    name({ ...here(), ...identify(process.ppid), folder: folderOf(os.tmpdir()) })
    ;(await takeFolderLock(dataDir, 'hub')).release()
  })

  it('names another machine, and nobody where nobody gave a name', async () => {
    const lock = await takeFolderLock(dataDir, 'hub')
    name({ ...here(), pid: 7, start: '1', bootId: 'x', host: 'elsewhere' })
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toThrow('(process 7 on elsewhere, since 1970')
    rmSync(file('hub.lock.json'))
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toThrow(/Another process holds .*, and has not said which/)
    lock.release()
  })

  it('works on a file that is damaged, and says where a folder knows no locks', async () => {
    writeFileSync(file('hub.lock'), 'x'.repeat(9_000))
    const lock = await takeFolderLock(dataDir, 'hub')
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toMatchObject({ code: 'ALREADY_RUNNING' })
    lock.release()
    rmSync(file('hub.lock'))
    spawnSync('mkdir', [file('hub.lock')])
    await expect(takeFolderLock(dataDir, 'hub')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })
})
