/** WEB-3 by hand, against the production build: what a captured proof is good for, what a cookie is, and who is kept out by whom. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawSocket } from '../support/wire/raw-socket'
import { newBrowserKey, RawWeb } from '../support/wire/raw-web'

const own = hubOfFile('browser-key')
const { hub, web, folder } = own
const me = '/api/v1/me'

/** The headers of a request that a browser made and that never arrived. */
async function captured(method = 'GET', target = me, body = ''): Promise<Record<string, string>> {
  await web.freshNonce()
  const headers = body === '' ? { origin: web.origin } : web.json
  return web.proven(target, { method, body, headers: { ...headers, login: own.login } })
}
const invitation = (email: string) => JSON.stringify({ email, role: 'owner' })
const keyed = { 'idempotency-key': 'a-captured-request' }

describe('a captured proof', () => {
  it('[WEB-3.6] [WEB-3.10] is good for its own request, and once', async () => {
    const proof = await captured()
    expect((await web.ask(me, { headers: proof })).status).toBe(200)
    expect((await web.ask(me, { headers: proof })).code).toBe('PROOF_STALE')
    const again = await Promise.all(
      [await captured()].flatMap((one) => Array.from({ length: 20 }, () => web.ask(me, { headers: one }))),
    )
    expect(again.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('[WEB-3.6] [A11] moves to no other path, query, method or body', async () => {
    const target = '/api/v1/invitations'
    const body = invitation('friend@example.com')
    for (const ask of [
      { target: '/api/v1/people', headers: await captured() },
      { target: `${me}?x=1`, headers: await captured() },
      { target, method: 'POST', body, headers: await captured('GET', target) },
      { target, method: 'POST', body: invitation('evil@example.com'), headers: await captured('POST', target, body) },
      { target, method: 'POST', body: body.replace('{', '{ '), headers: await captured('POST', target, body) },
      { target: me, headers: { ...(await captured()), 'x-roundhouse-new-key': 'x' } },
    ]) {
      const { target: path, ...more } = ask
      const answer = await web.ask(path, { ...more, headers: { ...web.json, ...keyed, ...ask.headers } })
      const isMoved = path !== me
      expect([path, answer.code]).toEqual([path, isMoved ? 'AUTH_REQUIRED' : undefined])
    }
    const { body: listed } = await web.ask(target, { headers: { login: own.login } })
    expect(JSON.parse(listed).items).toEqual([])
  })

  it('[WEB-3] opens one socket, of its own path, and no request', async () => {
    const proof = (await captured('GET', '/socket.io/viewer'))['x-roundhouse-proof'] ?? ''
    const enter = async (shown: string) => {
      const socket = new RawSocket(web, { origin: web.origin })
      await socket.status
      socket.send(`40/viewer,${JSON.stringify({ proof: shown })}`)
      const said = await Promise.race([socket.hears('40/viewer,'), socket.hears('44/viewer,')])
      socket.close()
      return said
    }
    expect((await web.ask(me, { headers: { 'x-roundhouse-proof': proof } })).code).toBe('AUTH_REQUIRED')
    expect(await enter(proof)).toMatch(/^40/)
    expect(await enter(proof)).toMatch(/^44.*PROOF_STALE/)
    expect(await enter((await captured())['x-roundhouse-proof'] ?? '')).toMatch(/^44.*AUTH_REQUIRED/)
  })

  it('[WEB-3.8] is worth nothing once the hub was started anew, which remembers no proof', async () => {
    const proof = await captured()
    await hub.stop()
    await hub.start()
    expect((await new RawWeb(hub).ask(me, { headers: proof })).code).toBe('PROOF_STALE')
    expect((await web.ask(me, { headers: { login: own.login } })).status).toBe(200)
  })

  it('[T56] the database holds nothing by which anybody comes in', async () => {
    const kept = new Database(path.join(folder, 'hub.db'), { readonly: true })
    const rows = kept.prepare('SELECT token, keyId, publicKey, id FROM AuthSession').all() as Array<
      Record<string, string>
    >
    kept.close()
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of rows.flatMap((row) => Object.values(row))) {
      const shown: Array<Record<string, string>> = [
        { cookie: `roundhouse.session_token=${secret}` },
        { authorization: `Bearer ${secret}` },
        { 'x-roundhouse-proof': secret },
      ]
      for (const headers of shown) expect((await web.ask(me, { headers })).code).toBe('AUTH_REQUIRED')
    }
  })
})

describe('a cookie', () => {
  const names = ['session_token', 'session_data', 'two_factor', 'state', 'passkey_challenge', 'dont_remember']
  const cookie = ['', '__Secure-', '__Host-']
    .flatMap((prefix) => names.map((name) => `${prefix}roundhouse.${name}=planted`))
    .join('; ')

  it('[WEB-3.21] [WEB-3.22] [WEB-3.1] is never set; one that is shown beside a proof changes nobody, and is ended', async () => {
    const asked = await web.ask(me, { headers: { login: own.login, cookie } })
    expect(JSON.parse(asked.body)).toMatchObject({ email: owner.email })
    const ended = [asked.headers['set-cookie'] ?? []].flat()
    expect(ended).toHaveLength(names.length * 3)
    for (const line of ended) expect(line).toMatch(/=; Path=\/; Max-Age=0;/)
    expect((await web.ask(me, { headers: { login: own.login } })).headers['set-cookie']).toBeUndefined()
  })

  it('[WEB-3] keeps nobody from signing in', async () => {
    const key = await newBrowserKey()
    const answer = await web.post('/api/auth/sign-in/email', owner, { 'new-key': key, cookie })
    expect(answer.status).toBe(200)
    expect([answer.headers['set-cookie'] ?? []].flat().filter((line) => !line.includes('Max-Age=0'))).toEqual([])
    expect((await web.ask(me, { headers: { login: key, cookie } })).status).toBe(200)
  })
})

describe('wrong passwords of strangers', () => {
  const guess = async (headers: Record<string, string> = {}) =>
    (
      await web.post(
        '/api/auth/sign-in/email',
        { email: owner.email, password: 'not the password' },
        { 'new-key': await newBrowserKey(), ...headers },
      )
    ).status
  const signIn = async (headers: Record<string, string> = {}) =>
    (await web.post('/api/auth/sign-in/email', owner, { 'new-key': await newBrowserKey(), ...headers })).status

  it('[T76] [WEB-1.18] do not keep out a browser that signed this person in before, also after it signed out', async () => {
    const known = await web.signIn(owner.email)
    await web.post('/api/auth/sign-out', {}, { login: known })
    const answers = []
    for (let i = 0; i < 25; i += 1) answers.push(await guess())
    expect(answers.filter((status) => status === 401)).toHaveLength(5)
    expect(await signIn()).toBe(429)
    expect((await web.ask(me, { headers: { login: known } })).code).toBe('AUTH_REQUIRED')
    const own = []
    for (let i = 0; i < 4; i += 1) own.push(await guess({ login: known }))
    expect(own).toEqual([401, 401, 401, 401])
    expect(await signIn({ login: known })).toBe(200)
  })
})
