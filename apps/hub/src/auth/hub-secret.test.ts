import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadHubSecret } from './hub-secret'

describe('the secret of the hub', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-secret-'))
    file = path.join(folder, 'secret')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is made at the first start, is read by its owner alone, and stays', () => {
    const secret = loadHubSecret(folder)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(loadHubSecret(folder)).toBe(secret)
    expect(readFileSync(file, 'utf8').trim()).toBe(secret)
  })

  it.each([
    ['empty', ''],
    ['short', 'hunter2'],
    ['long and of few letters', 'x'.repeat(64)],
    ['a word said often enough', 'changeme'.repeat(8)],
    ['the default of the login library', 'better-auth-secret-12345678901234567890'],
    ['an example from a manual', 'your-secret-key-change-in-production-please'],
  ])('[T82] [A47] that is %s is refused: the hub does not start', (_what, secret) => {
    writeFileSync(file, secret)
    expect(() => loadHubSecret(folder)).toThrow(expect.objectContaining({ code: 'INSECURE_SECRET' }))
  })
})
