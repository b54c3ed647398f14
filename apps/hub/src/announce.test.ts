import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { announceHub, runningHub } from './announce'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'rh-announce-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const announce = (pid: number) =>
  announceHub(dataDir, {
    pid,
    port: 1,
    url: 'http://localhost:1',
    hubKeyFingerprint: 'x',
    setupUrl: null,
    startedAt: 0,
  })
const answers = (code: string) => () => {
  throw Object.assign(new Error(`kill ${code}`), { code })
}

describe('[STORE-1] the hub that runs on a data folder', () => {
  it('is the process that the folder names, as long as it lives', () => {
    expect(runningHub(dataDir)).toBeNull()
    announce(process.pid)
    expect(runningHub(dataDir)).toBe(process.pid)
    expect(runningHub(dataDir, answers('ESRCH'))).toBeNull()
  })

  it('is taken for running where it may not be asked because it is of another user', () => {
    announce(4711)
    expect(runningHub(dataDir, answers('EPERM'))).toBe(4711)
  })

  it('is not guessed at where the folder says something else', () => {
    writeFileSync(path.join(dataDir, 'hub.json'), '{')
    expect(() => runningHub(dataDir)).toThrow()
  })
})
