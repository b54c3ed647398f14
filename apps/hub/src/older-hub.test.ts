import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { announceHub } from './announce'
import { hubWithoutLock } from './older-hub'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'rh-announce-'))
})
const endings: (() => unknown)[] = []
afterEach(() => {
  for (const ending of endings.splice(0)) ending()
  rmSync(dataDir, { recursive: true })
})

const parent = process.ppid // a process that runs and is not this one
const announce = (startedAt: number, more = {}) =>
  announceHub(dataDir, {
    pid: parent,
    port: 1,
    url: 'http://localhost:1',
    hubKeyFingerprint: 'x',
    setupUrl: null,
    startedAt,
    ...more,
  })

describe('[STORE-5] a hub of an earlier release that runs on a data folder', () => {
  /** Has `hub.db` open, as a hub has. */
  async function another(): Promise<number> {
    const program = `require('fs').openSync('hub.db', 'a'); console.log('open'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--eval', program], { cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'] })
    endings.push(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child.pid ?? 0
  }

  it('is the process that the folder names, as long as it lives', async () => {
    expect(hubWithoutLock(dataDir)).toBeNull()
    const pid = await another()
    announce(Date.now(), { pid })
    expect(hubWithoutLock(dataDir)).toBe(pid)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => hubWithoutLock(dataDir)).toBeNull()
  })

  it('is not a process that got its number later', async () => {
    announce(1_000, { pid: await another() })
    expect(hubWithoutLock(dataDir)).toBeNull()
  })

  it.runIf(process.platform === 'linux')('is not one that runs on the folder of which this is a copy', async () => {
    announce(Date.now(), { pid: await another() })
    renameSync(path.join(dataDir, 'hub.db'), path.join(dataDir, 'elsewhere'))
    copyFileSync(path.join(dataDir, 'elsewhere'), path.join(dataDir, 'hub.db'))
    expect(hubWithoutLock(dataDir)).toBeNull()
  })

  it('is none that holds a lock, nor who asks, nor what a torn file says', async () => {
    announce(Date.now(), { pid: await another(), locked: true })
    expect(hubWithoutLock(dataDir)).toBeNull()
    announce(Date.now(), { pid: process.pid })
    expect(hubWithoutLock(dataDir)).toBeNull()
    writeFileSync(path.join(dataDir, 'hub.json'), '{')
    expect(hubWithoutLock(dataDir)).toBeNull()
  })
})
