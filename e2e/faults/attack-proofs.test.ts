/** A thief of one request has its proof, its cookies and its bytes: what else can be done with them? Raw HTTP, raw sockets. */
import { createHash, randomBytes } from 'node:crypto'
import {
  formatProof,
  type Proof,
  type ProofPurpose,
  parseProof,
  proofHeaders,
  proofText,
  socketProofPath,
} from '@roundhouse/backend-types'
import { type BrowserKey, makeBrowserKey, signProof } from '@roundhouse/hub-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawSocket } from '../support/wire/raw-socket'
import type { RawAnswer } from '../support/wire/raw-web'

const own = hubOfFile('attack-proofs')
const { hub, web } = own
let key: BrowserKey

/** A login whose key is in our own hands. */
async function signInBy(newKey: BrowserKey, email = owner.email): Promise<RawAnswer> {
  const body = JSON.stringify({ email, password: owner.password })
  const request = { method: 'POST', path: '/api/auth/sign-in/email', body, nonce: await web.freshNonce() }
  const proof = await signProof(newKey, 'newKey', request)
  return web.ask(request.path, { method: 'POST', body, headers: { ...web.json, [proofHeaders.newKey]: proof } })
}

beforeAll(async () => {
  key = await makeBrowserKey()
  expect((await signInBy(key)).status).toBe(200)
})

interface Shown {
  method?: string
  path?: string
  body?: string
  headers?: Record<string, string>
}
const me = '/api/v1/me'
const signed = async (what: Shown = {}, by = key) =>
  signProof(by, 'login', { method: 'GET', path: me, body: '', ...what, nonce: await web.freshNonce() })
const show = (proof: string, { method = 'GET', path = me, body, headers = {} }: Shown = {}) =>
  web.ask(path, {
    method,
    headers: { ...(method === 'GET' ? {} : web.json), ...headers, [proofHeaders.login]: proof },
    ...(body === undefined ? {} : { body }),
  })
const refused = ['AUTH_REQUIRED', 'PROOF_STALE', 'AUTH_FAILED']
const expectRefused = (what: string, { status, code, body }: RawAnswer) =>
  expect([what, status, refused.includes(code ?? ''), body.slice(0, 200)]).toEqual([what, 401, true, expect.anything()])

/** The same bits in another spelling: the last letter of base64url has bits that nobody reads. */
function spellings(text: string, spareBits: number): string[] {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters.indexOf(text.at(-1) ?? '')
  return Array.from(
    { length: 1 << spareBits },
    (_, i) => text.slice(0, -1) + letters[((last >> spareBits) << spareBits) | i],
  ).filter((other) => other !== text)
}

/** Another signature that is as good: (r, n - s) in the place of (r, s). */
function mirrored(signature: string): string {
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  const bytes = Buffer.from(signature, 'base64url')
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]).toString(
    'base64url',
  )
}
const change = (proof: string, part: Partial<Proof>) => formatProof({ ...(parseProof(proof) as Proof), ...part })
async function resigned(
  by: BrowserKey,
  purpose: ProofPurpose,
  request: { method: string; path: string },
  parts: Omit<Proof, 'signature'>,
): Promise<string> {
  const text = new TextEncoder().encode(proofText(purpose, request, parts))
  const raw = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, by.privateKey, text)
  return formatProof({ ...parts, signature: Buffer.from(raw).toString('base64url') })
}
const sha = (text: string) => createHash('sha256').update(text).digest('base64url')

describe('a proof that somebody saw', () => {
  it('[WEB-3.10] is good once, also of twenty at once, in no other spelling and with no other signature over the same', async () => {
    const proof = await signed()
    const answers = await Promise.all(Array.from({ length: 20 }, () => show(proof)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused('at once', answer)
    const parts = parseProof(proof) as Proof
    const again = [
      ...spellings(parts.signature, 4).map((signature) => change(proof, { signature })),
      ...spellings(parts.key, 2).map((name) => change(proof, { key: name })),
      ...spellings(parts.bodySha256, 2).map((bodySha256) => change(proof, { bodySha256 })),
      ...spellings(parts.nonce, 2).map((nonce) => change(proof, { nonce })),
      change(proof, { signature: mirrored(parts.signature) }),
      ` ${proof}`,
      `${proof} `,
      `${proof},${proof}`,
      `${proof}.`,
      proof.replaceAll('-', '+').replaceAll('_', '/'),
    ]
    for (const one of again) expectRefused(one, await show(one))
  })

  it('[WEB-3.6] is worth nothing for another method, path, query or body, nor another signature of the wrong kind', async () => {
    const rename = '/api/v1/settings'
    const body = '{"requireApproval":false}'
    const patch = { method: 'PATCH', path: rename, body }
    const moved: Array<[string, Shown, Shown]> = [
      ['another method', { ...patch, method: 'POST' }, patch],
      ['from reading to changing', { path: rename, body }, patch],
      ['HEAD for GET', {}, { method: 'HEAD' }],
      ['small letters', { method: 'get' }, {}],
      ['another path', { path: '/api/v1/agents' }, {}],
      ['a path in another spelling', { path: '/api/v1/%6de' }, {}],
      ['the other spelling asked for', {}, { path: '/api/v1/%6de' }],
      ['a slash more', {}, { path: `${me}/` }],
      ['an address', { path: `http://localhost:${hub.port}${me}` }, {}],
      ['a query more', {}, { path: `${me}?x=1` }],
      ['a query less', { path: '/api/v1/audit?limit=1' }, { path: '/api/v1/audit' }],
      [
        'a query in another order',
        { path: '/api/v1/audit?limit=1&action=x' },
        { path: '/api/v1/audit?action=x&limit=1' },
      ],
      ['a second value', { path: '/api/v1/audit?limit=1' }, { path: '/api/v1/audit?limit=1&limit=2' }],
      ['another body', patch, { ...patch, body: '{"requireApproval":true}' }],
      ['a blank in the body', patch, { ...patch, body: `${body} ` }],
      ['no body', patch, { ...patch, body: '' }],
      ['a body more', { method: 'PATCH', path: rename }, patch],
      ['a mark of order', patch, { ...patch, body: `\ufeff${body}` }],
      ['that of a socket', { path: socketProofPath }, {}],
    ]
    for (const [what, asked, shown] of moved) {
      const answer = await show(await signed(asked), shown)
      const noRoute = [400, 404].includes(answer.status) || shown.method === 'HEAD'
      if (noRoute) expect([what, answer.status >= 400]).toEqual([what, true])
      else expectRefused(what, answer)
    }
    const parts = {
      key: key.keyId,
      nonce: await web.freshNonce(),
      jti: randomBytes(16).toString('base64url'),
      bodySha256: sha(''),
    }
    expectRefused('for a new key', await show(await resigned(key, 'newKey', { method: 'GET', path: me }, parts)))
    expectRefused('of nothing but zeros', await show(formatProof({ ...parts, signature: 'A'.repeat(86) })))
    const other = await makeBrowserKey()
    expectRefused(
      'by a key that nobody knows',
      await show(await resigned(other, 'login', { method: 'GET', path: me }, parts)),
    )
    const named = formatProof({ ...parts, key: key.publicKey, signature: parseProof(await signed())?.signature ?? '' })
    expectRefused('with the public half', await show(named))
    for (const nonce of ['', 'A'.repeat(32), randomBytes(24).toString('base64url'), 'A'.repeat(64)])
      expectRefused(
        'with a nonce of nobody',
        await show(await resigned(key, 'login', { method: 'GET', path: me }, { ...parts, nonce })),
      )
  })

  it('[WEB-3] is refused with a body whose length nobody said, and beside another proof', async () => {
    const body = '{"requireApproval":false}'
    const patch = { method: 'PATCH', path: '/api/v1/settings', body }
    const said = (method: string, path: string) => [
      `${method} ${path} HTTP/1.1`,
      `host: localhost:${hub.port}`,
      `origin: ${web.origin}`,
      'connection: close',
    ]
    const more = [
      'content-type: application/json',
      'transfer-encoding: chunked',
      `${proofHeaders.login}: ${await signed(patch)}`,
    ]
    const pieces = [...body].map((letter) => `1\r\n${letter}\r\n`).join('')
    const chunked = [...said('PATCH', patch.path), ...more].join('\r\n')
    expect(await web.bytes(`${chunked}\r\n\r\n${pieces}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    for (const two of [
      ['x', await signed()],
      [await signed(), 'x'],
      [await signed(), await signed()],
    ]) {
      const both = two.map((proof) => `${proofHeaders.login}: ${proof}`)
      expect(await web.bytes(`${[...said('GET', me), ...both].join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /)
    }
  })

  it('[WEB-3] [T75] a key begins one login of one person, and no point of another curve is a key', async () => {
    const email = await web.addPerson('mallory', 'viewer')
    const shared = await makeBrowserKey()
    const both = await Promise.all([owner.email, email, owner.email, email].map((one) => signInBy(shared, one)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    for (const bad of [
      Buffer.alloc(65),
      Buffer.alloc(65, 4),
      Buffer.concat([Buffer.from([2]), randomBytes(64)]),
      Buffer.concat([Buffer.from([4]), randomBytes(64)]),
    ]) {
      const parts = {
        key: bad.toString('base64url'),
        nonce: await web.freshNonce(),
        jti: randomBytes(16).toString('base64url'),
      }
      const body = JSON.stringify({ email, password: owner.password })
      const proof = formatProof({ ...parts, bodySha256: sha(body), signature: 'A'.repeat(86) })
      const { status } = await web.ask('/api/auth/sign-in/email', {
        method: 'POST',
        body,
        headers: { ...web.json, [proofHeaders.newKey]: proof },
      })
      expect([bad.toString('hex').slice(0, 8), status]).toEqual([expect.anything(), 401])
    }
  })

  it('[WEB-3.19] opens one socket, and nothing is done on it before', async () => {
    const entry = async (by = key, path = socketProofPath) =>
      `40/viewer,${JSON.stringify({ proof: await signed({ path }, by) })}`
    const open = async () => {
      const socket = new RawSocket(web, { origin: web.origin, cookie: `roundhouse.session_token=${key.keyId}` })
      await socket.status
      return socket
    }
    const once = await entry()
    const crowd = await Promise.all(Array.from({ length: 8 }, open))
    for (const socket of crowd) socket.send(once)
    await Promise.all(crowd.map((socket) => Promise.race([socket.hears('40/viewer,'), socket.closed])))
    const inside = crowd.filter(({ heard }) => heard.some((frame) => frame.startsWith('40/viewer,')))
    expect(inside).toHaveLength(1)
    for (const socket of crowd.filter((one) => one !== inside[0])) {
      await socket.closed
      expect(socket.heard.filter((frame) => frame.startsWith('43/'))).toEqual([])
    }
    for (const bad of [
      once,
      await entry(key, me),
      await entry(key, `${socketProofPath}?x`),
      await entry(await makeBrowserKey()),
      '40/viewer,{"proof":["x"]}',
      '40/viewer,{"proof":{"toString":1}}',
      '40/viewer,{"proof":null}',
      '40/viewer,[]',
      '40/viewer,null',
      `40/viewer,{"proof":"${'x'.repeat(9_000)}"}`,
      `40/viewer?proof=${encodeURIComponent(once)},`,
      '40/viewer,{"token":"x","login":"y"}',
    ]) {
      const socket = await open()
      socket.send(bad)
      socket.send('42/viewer,7["watch.inbox",{}]')
      await socket.closed
      expect([bad.slice(0, 40), socket.heard.filter((frame) => /^4[03]\/viewer/.test(frame))]).toEqual([
        bad.slice(0, 40),
        [],
      ])
    }
    for (const socket of crowd) socket.close()
  })
})

describe('the cookies of a host', () => {
  it('[WEB-3.1] planted by whom they may be change no page, no answer and no socket', async () => {
    const names = [
      'roundhouse.session_token',
      '__Host-roundhouse.session_token',
      'better-auth.session_token',
      '__Secure-better-auth.session_token',
      'better-auth.session_data',
      'two_factor',
      '__prerender_bypass',
      '__next_preview_data',
      'NEXT_LOCALE',
      'next-action',
      '__proto__',
      'theme',
      'state',
      'io',
      'sid',
    ]
    const values = [key.keyId, '%', '%00', '%E0%A4%A', '"', 'a.b.c', '{"userId":"x"}', 'x'.repeat(3_000)]
    const bare = (text: string) => text.replace(/nonce-[^']+|nonce="[^"]*"|"nonce":"[^"]*"|[\w-]{32}/g, '')
    const plain = await web.ask('/login')
    for (const value of values) {
      for (const cookie of [
        names
          .map((name) => `${name}=${value}`)
          .slice(0, value.length > 1_000 ? 2 : 99)
          .join('; '),
      ]) {
        const page = await web.ask('/login', { headers: { cookie } })
        expect([value, page.status, bare(page.body).length]).toEqual([value, 200, bare(plain.body).length])
        expect([value, page.headers.location]).toEqual([value, undefined])
        for (const set of [page.headers['set-cookie'] ?? []].flat()) expect(set).toMatch(/=; .*Max-Age=0/)
        expect((await show(await signed(), { headers: { cookie } })).status).toBe(200)
        expect((await web.ask(me, { headers: { cookie } })).code).toBe('AUTH_REQUIRED')
        const socket = new RawSocket(web, { login: own.login, origin: web.origin, cookie })
        await socket.enter('viewer')
        socket.close()
      }
    }
  })
})

describe('a new start of the hub', () => {
  it('[WEB-3.8] ends every proof of before it, used and unused, and keeps the login', async () => {
    const [used, unused] = [await signed(), await signed()]
    const socket = await signed({ path: socketProofPath })
    expect((await show(used)).status).toBe(200)
    await hub.kill()
    await hub.start()
    expectRefused('used', await show(used))
    expectRefused('unused', await show(unused))
    const late = new RawSocket(web, { origin: web.origin })
    await late.status
    late.send(`40/viewer,${JSON.stringify({ proof: socket })}`)
    expect(await late.hears('44/viewer,')).toMatch(/PROOF_STALE|AUTH_REQUIRED/)
    expect((await show(await signed())).status).toBe(200)
  })
})
