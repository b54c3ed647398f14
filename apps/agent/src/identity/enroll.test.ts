import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { toCodedError } from '@roundhouse/backend-types'
import { fingerprintOf, isSignedBy, makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeHub } from '../testing/fake-hub'
import { askChallenge } from './challenge'
import { enroll, readHubUrl } from './enroll'
import { inGroups, readFingerprint } from './fingerprint'
import { postJson } from './hub-http'
import { chainFile, readIdentity, writeIdentity } from './identity-file'

let hub: FakeHub
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-enroll-'))
  hub = new FakeHub()
  await hub.start()
})
afterEach(async () => {
  await hub.stop()
  rmSync(folder, { recursive: true })
})

const join = (fields: object = {}) =>
  enroll(postJson, {
    hubUrl: hub.url,
    fingerprint: hub.fingerprint,
    token: `${hub.token}\n`,
    name: 'desk',
    platform: 'linux x64',
    ...fields,
  })
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error) => toCodedError(error).code,
  )

describe('enrollment', () => {
  it('[JOIN-2.1] leaves a key on this machine and its public half at the hub', async () => {
    const { identity, state } = await join()
    expect(state).toBe('active')
    expect(identity).toMatchObject({
      agentId: 'agent-1',
      hubUrl: hub.url,
      hubPublicKey: hub.keys.publicKey,
      name: 'desk',
    })
    expect(hub.agents.get('agent-1')).toBe(identity.publicKey)
    expect(isSignedBy(identity.publicKey, 'x', signText(readPrivateKey(identity.privateKey), 'x'))).toBe(true)
  })

  it('[T52] a token works once, also in parallel', async () => {
    const results = await Promise.all([codeOf(join()), codeOf(join())])
    expect(results.sort()).toEqual(['ENROLLMENT_INVALID', 'no error'])
  })

  it.each(['', 'short', 'two words with a space in between'])(
    '[T56] %j is no token and never leaves the machine',
    async (token) => {
      expect(await codeOf(join({ token }))).toBe('ENROLLMENT_INVALID')
      expect(hub.tokenUsed).toBe(false)
    },
  )

  it('[T53] a wrong token is refused', async () => {
    expect(await codeOf(join({ token: `${hub.token.slice(0, -1)}X` }))).toBe('ENROLLMENT_INVALID')
  })

  it('[T54] a hub with another key is refused and the token is kept', async () => {
    expect(await codeOf(join({ fingerprint: fingerprintOf(makeKeyPair().publicKey) }))).toBe('HUB_KEY_MISMATCH')
    expect(hub.tokenUsed).toBe(false)
    expect(await codeOf(join())).toBe('no error')
  })

  it('[T54] a hub that shows the right key without holding it is refused', async () => {
    const { publicKey } = hub.keys
    hub.keys = { ...makeKeyPair(), publicKey }
    expect(await codeOf(join())).toBe('HUB_KEY_MISMATCH')
    expect(hub.tokenUsed).toBe(false)
  })

  it('[T55] an old nonce is refused', async () => {
    const challenge = await askChallenge(postJson, hub.url, { publicKey: hub.keys.publicKey })
    const keys = makeKeyPair()
    const said = `agent-enroll-v1|${challenge.hubId}|${challenge.nonce}|${keys.publicKey}`
    const body = {
      token: hub.token,
      nonce: challenge.nonce,
      publicKey: keys.publicKey,
      signature: signText(readPrivateKey(keys.privateKey), said),
      name: 'desk',
      platform: 'linux',
    }
    const post = () => codeOf(postJson(`${hub.url}/api/v1/agent/enroll`, { ...body, token: 'x'.repeat(30) }, anything))
    expect(await post()).toBe('ENROLLMENT_INVALID')
    expect(await post()).toBe('AUTH_FAILED')
  })

  it('says so when nobody answers', async () => {
    const { url } = hub
    await hub.stop()
    expect(await codeOf(join({ hubUrl: url }))).toBe('AGENT_OFFLINE')
  })
})

describe('the identity on disk', () => {
  it('is readable by its owner alone, and refused when others can read it', async () => {
    const file = path.join(folder, 'state/identity.json')
    expect(readIdentity(file)).toBeNull()
    const { identity } = await join()
    writeIdentity(file, identity)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readIdentity(file)).toEqual(identity)
    chmodSync(file, 0o644)
    expect(() => readIdentity(file)).toThrow('chmod 600')
  })

  it('[JOIN-4] keeps the chain in a file of its own', () => {
    const chain = chainFile(path.join(folder, 'state/chain'))
    expect(chain.read()).toBe('')
    chain.write('abc')
    expect(chain.read()).toBe('abc')
  })
})

describe('the address and the fingerprint of a hub', () => {
  it('takes https anywhere, plain http on this machine alone', () => {
    expect(readHubUrl('https://hub.example.org/login?x=1', false)).toBe('https://hub.example.org')
    expect(readHubUrl('http://127.0.0.1:3000/', false)).toBe('http://127.0.0.1:3000')
    expect(readHubUrl('http://localhost:3000', false)).toBe('http://localhost:3000')
    expect(() => readHubUrl('http://hub.example.org', false)).toThrow('not encrypted')
    expect(() => readHubUrl('http://localhost.evil.org', false)).toThrow('not encrypted')
    expect(readHubUrl('http://10.0.0.5:3000', true)).toBe('http://10.0.0.5:3000')
    expect(() => readHubUrl('ftp://x', false)).toThrow('https')
    expect(() => readHubUrl('hub', false)).toThrow('not a valid address')
  })

  it('reads a fingerprint in groups, and only a whole one', () => {
    const hex = fingerprintOf(makeKeyPair().publicKey)
    expect(readFingerprint(inGroups(hex))).toBe(hex)
    expect(readFingerprint(hex.toUpperCase())).toBe(hex)
    expect(readFingerprint(hex.slice(0, 16))).toBeNull()
    expect(readFingerprint('')).toBeNull()
  })
})

const anything = z.unknown()
