/** No descriptor is left for what is to be started or read: each of it fails by itself, with a code that passes. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeKeyPair } from '@roundhouse/keys'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeIdentity } from '../../identity/identity-file'
import { bundle } from '../../testing/bundle'
import { wholeMatrix } from '../../testing/variation'

/** Enough for Node and its loader. */
const LIMIT = 160
/** Nobody else here can lower the limit of a process. */
const missing = spawnSync('prlimit', ['--version']).status !== 0

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-starved-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function starved(what: string): Promise<unknown> {
  const args = [`--nofile=${LIMIT}`, process.execPath, await bundle('testing/starved.ts'), folder, what]
  const { stdout } = await promisify(execFile)('prlimit', args)
  return JSON.parse(stdout)
}

describe.skipIf(missing)('without descriptors', () => {
  it.each(wholeMatrix ? ['launch', 'claude', 'codex', 'scripted'] : ['launch', 'codex'])(
    '[FLOW-5.1] %s: a start that fails is told with a code, however many descriptors are left',
    async (what) => {
      const codes = (await starved(what)) as string[]
      expect(codes[0]).toBe('OUT_OF_RESOURCES')
      const lacking = codes.filter((code) => code === 'OUT_OF_RESOURCES').length
      // From where on there is room, there is room: and no other failure lies between.
      expect(codes.slice(0, lacking).every((code) => code === 'OUT_OF_RESOURCES')).toBe(true)
      expect(new Set(codes.slice(lacking)).size).toBe(1)
    },
  )

  it('[FLOW-5.5] a guard that could not be started is started later', async () => {
    expect(await starved('guard')).toBe(true)
  })

  it('[FLOW-5.7] a file that cannot be opened is not damaged, and is read again', async () => {
    mkdirSync(path.join(folder, 'config'))
    mkdirSync(path.join(folder, 'session'))
    const keys = makeKeyPair()
    const hub = { hubUrl: 'http://localhost:1', hubId: 'h', hubPublicKey: keys.publicKey }
    writeIdentity(path.join(folder, 'identity.json'), { version: 1, agentId: 'a', name: 'desk', ...hub, ...keys })
    writeFileSync(path.join(folder, 'next-key.json'), JSON.stringify(makeKeyPair()))
    writeFileSync(path.join(folder, 'config/policy.json'), JSON.stringify({ version: 1, roots: [] }), { mode: 0o600 })
    writeFileSync(path.join(folder, 'heads.json'), '[]')
    writeFileSync(path.join(folder, 'session/launch.json'), '{}')
    const lacked = ['OUT_OF_RESOURCES', 'done']
    expect(await starved('files')).toEqual({
      identity: lacked,
      nextKey: lacked,
      policy: lacked,
      launch: lacked,
      heads: lacked,
    })
  })
})
