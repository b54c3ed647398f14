import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { announcedUrl, announceHub } from './announce'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'rh-announce-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

it('an announcement is believed only of the process that made it', () => {
  const announced = { pid: process.ppid, port: 1, url: 'http://localhost:1', hubKeyFingerprint: 'x', setupUrl: null }
  announceHub(dataDir, { ...announced, startedAt: 0 })
  expect(announcedUrl(dataDir, process.ppid)).toBe('http://localhost:1')
  expect(announcedUrl(dataDir, process.pid)).toBeUndefined()
})
