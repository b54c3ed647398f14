// Signs a person in as a browser would, with a new key, and creates API tokens. The measured requests use the tokens.
import crypto from 'node:crypto'
import { req } from './http.mjs'

const base64url = (bytes) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('base64url')

/** Returns the way to create tokens of this person. */
export async function signIn(base, { email, password }) {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const raw = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const { 'x-roundhouse-proof-nonce': nonce } = await nonceOf(base)
  const prove = (header, purpose, key, path, body) => {
    const parts = [sha256(JSON.stringify(body)), nonce, base64url(crypto.randomBytes(16))]
    const text = [purpose, key, 'POST', path, ...parts].join('\n')
    const signature = crypto.sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const [hash, , jti] = parts
    return { [header]: [key, nonce, jti, hash, base64url(signature)].join('.') }
  }
  const post = async (path, body, proof) => {
    const headers = { origin: base, 'idempotency-key': crypto.randomUUID(), ...proof }
    const answer = await req(`${base}${path}`, { method: 'POST', body, headers })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.buf.toString()}`)
    return answer.json()
  }
  const enter = '/api/auth/sign-in/email'
  const credentials = { email, password }
  await post(
    enter,
    credentials,
    prove('x-roundhouse-new-key', 'roundhouse-new-key-v1', base64url(raw), enter, credentials),
  )
  const make = '/api/v1/me/tokens'
  /** @param {string[]} scopes @returns {Promise<{ token: string, tokenId: string }>} */
  const makeToken = (name, scopes) => {
    const wanted = { name, scopes, ttlDays: 1, password }
    return post(make, wanted, prove('x-roundhouse-proof', 'roundhouse-proof-v1', sha256(raw), make, wanted))
  }
  return { makeToken }
}

/** Whoever is refused gets a nonce. */
async function nonceOf(base) {
  const answer = await fetch(`${base}/api/v1/me`)
  return Object.fromEntries(answer.headers)
}
