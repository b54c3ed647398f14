import { type BrowserKey, makeBrowserKey, type SignedRequest, signProof } from '@roundhouse/hub-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestStore, type TestStore } from '../testing/test-store'
import { type Authenticate, createAuthenticate } from './authenticate'
import { NONCE_MS } from './nonces'
import { Proofs } from './proofs'

const DAY_MS = 86_400_000
const request = { method: 'GET', path: '/api/v1/me?x=1' }

let store: TestStore
let key: BrowserKey
let wall: number
let clock: number
let proofs: Proofs
let authenticate: Authenticate

beforeEach(async () => {
  store = await openTestStore()
  key = await makeBrowserKey()
  wall = Date.now()
  clock = 0
  proofs = new Proofs(() => clock)
  const { findLogin } = store
  authenticate = createAuthenticate({ proofs, findLogin, byToken: async () => null, now: () => wall })
  await store.prisma.user.create({ data: { id: 'u_ana', name: 'Ana', email: 'ana@example.com', role: 'owner' } })
  const { keyId, publicKey } = key
  const login = { id: 'login_1', token: 'x', userId: 'u_ana', expiresAt: new Date(wall + DAY_MS), keyId, publicKey }
  await store.prisma.authSession.create({ data: login })
})
afterEach(() => store.remove())

const proofOf = (changed: Partial<SignedRequest> = {}, by = key) =>
  signProof(by, 'login', { ...request, body: '', nonce: proofs.nonce(), ...changed })
const show = (proof: string | undefined) => authenticate({ ...request, proof })
const login = async () => show(await proofOf())

describe('[WEB-3] who proves the key of a login', () => {
  it('is read every time: role, and whether the login still lives', async () => {
    const first = await login()
    expect(first).toMatchObject({ actor: { name: 'Ana', role: 'owner' }, loginId: 'login_1', email: 'ana@example.com' })
    await store.prisma.user.updateMany({ data: { role: 'viewer' } })
    expect(await login()).toMatchObject({ actor: { role: 'viewer', agents: new Set() } })
  })

  it('[T77] [I10] is nobody at the next request when the login was ended', async () => {
    await store.prisma.authSession.deleteMany()
    expect(await login()).toBeNull()
  })

  it('is nobody when banned, or when the login has run out', async () => {
    await store.prisma.user.updateMany({ data: { banned: true } })
    expect(await login()).toBeNull()
    await store.prisma.user.updateMany({ data: { banned: false } })
    wall += DAY_MS
    expect(await login()).toBeNull()
  })

  it('is nobody without a proof, by one that is garbage, and by the proof of a key that nobody knows', async () => {
    expect([await show(undefined), await show(''), await show('a.b.c.d.e')]).toEqual([null, null, null])
    expect(await show(await proofOf({}, await makeBrowserKey()))).toBeNull()
  })

  it('cannot be named by another key: the signature is judged by the key that the hub holds', async () => {
    const thief = await makeBrowserKey()
    expect(await show(await proofOf({}, { ...thief, keyId: key.keyId }))).toBeNull()
  })
})

describe('[WEB-3.5] a proof', () => {
  it.each([
    ['another method', { method: 'POST' }],
    ['another path', { path: '/api/v1/people' }],
    ['another query', { path: '/api/v1/me?x=2' }],
  ])('is worth nothing for %s', async (_what, changed) => {
    expect(await show(await proofOf(changed))).toBeNull()
  })

  it('[WEB-3.6] with any part of it changed is worth nothing', async () => {
    const parts = (await proofOf()).split('.')
    const other = (await proofOf({ body: 'x' })).split('.')
    for (const at of [2, 3, 4]) {
      const mixed = parts.map((part, i) => (i === at ? other[i] : part)).join('.')
      expect([at, await show(mixed)]).toEqual([at, null])
    }
  })

  it('[WEB-3.7] made for a new key is none for a login, nor the other way round', async () => {
    const begun = await signProof(key, 'newKey', { ...request, body: '', nonce: proofs.nonce() })
    const renamed = [key.keyId, ...begun.split('.').slice(1)].join('.')
    expect(await show(renamed)).toBeNull()
    expect(proofs.judgeNewKey(begun, request)).toMatchObject({ keyId: key.keyId, publicKey: key.publicKey })
    expect(proofs.judgeNewKey(await proofOf(), request)).toBeNull()
  })

  it('[WEB-3.10] is good once', async () => {
    const proof = await proofOf()
    expect(await show(proof)).not.toBeNull()
    await expect(show(proof)).rejects.toMatchObject({ code: 'PROOF_STALE' })
  })

  it('[WEB-3.9] is good for five minutes from its nonce, whatever the wall clock does', async () => {
    const [early, late] = [await proofOf(), await proofOf()]
    wall -= DAY_MS
    clock += NONCE_MS - 1
    expect(await show(early)).not.toBeNull()
    clock += 1
    await expect(show(late)).rejects.toMatchObject({ code: 'PROOF_STALE' })
  })

  it('[WEB-3.8] with a nonce of another process of the hub, or of nobody, is refused', async () => {
    for (const nonce of [new Proofs(() => clock).nonce(), '', 'AAAA', 'x'.repeat(32)]) {
      await expect(show(await proofOf({ nonce }))).rejects.toMatchObject({ code: 'PROOF_STALE' })
    }
  })

  it('of a new key is refused where the key is no point of the curve', async () => {
    const begun = await signProof(key, 'newKey', { ...request, body: '', nonce: proofs.nonce() })
    const off = Buffer.alloc(65, 1)
    off[0] = 4
    expect(proofs.judgeNewKey([off.toString('base64url'), ...begun.split('.').slice(1)].join('.'), request)).toBeNull()
  })
})
