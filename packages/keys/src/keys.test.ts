import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fingerprintOf, isSignedBy, makeKeyPair, readPrivateKey, signText } from './keys'

const { publicKey, privateKey } = makeKeyPair()
const signature = signText(readPrivateKey(privateKey), 'yes')

describe('a key', () => {
  it('signs what its public half verifies: 32 and 64 raw bytes', () => {
    expect(Buffer.from(publicKey, 'base64url')).toHaveLength(32)
    expect(Buffer.from(signature, 'base64url')).toHaveLength(64)
    expect(isSignedBy(publicKey, 'yes', signature)).toBe(true)
  })

  it.each([
    ['another text', publicKey, 'no', signature],
    ['another key', makeKeyPair().publicKey, 'yes', signature],
    ['a signature that is cut off', publicKey, 'yes', signature.slice(0, -4)],
    ['no signature', publicKey, 'yes', ''],
    ['no key', '', 'yes', signature],
    ['a key with more behind it', `${publicKey}AAAA`, 'yes', signature],
    ['the same bytes in another spelling', `${publicKey}=`, 'yes', signature],
  ])('[T55] is not taken to have signed: %s', (_what, key, text, signed) => {
    expect(isSignedBy(key, text, signed)).toBe(false)
  })

  it('is shown as the SHA-256 of its raw bytes', () => {
    const raw = Buffer.from(publicKey, 'base64url')
    expect(fingerprintOf(publicKey)).toBe(createHash('sha256').update(raw).digest('hex'))
  })
})
