/** A sign-in that is half done, against the production build: its cookie opens nothing, wherever it is shown. */
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '../support/authenticator'
import { hubOfFile } from '../support/hub-of-file'
import { owner } from '../support/hub-process'
import { RawSocket } from '../support/raw-socket'
import { keyed, openRoutes, routesOf, walkRoutes } from '../support/route-walk'

const own = hubOfFile('half-done')
const { web } = own
let secret: string

beforeAll(async () => {
  const { cookie } = own
  const proof = { password: owner.password }
  secret = JSON.parse((await web.post('/api/v1/me/totp', proof, { cookie, ...keyed })).body).secret
  const confirmed = await web.post('/api/v1/me/totp/confirm', { code: codeOf(secret, -1) }, { cookie, ...keyed })
  expect(confirmed.status).toBe(200)
})

/** Every cookie of the answer, those too that it takes away. */
async function signInHalf(): Promise<string> {
  const answer = await web.post('/api/auth/sign-in/email', { email: owner.email, password: owner.password })
  expect(JSON.parse(answer.body)).toEqual({ ok: true, codeNeeded: true })
  expect(answer.body).not.toContain('token')
  return [answer.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
}

describe('a sign-in that is half done', () => {
  it('[WEB-1] [A1] [A21] [T56] has no rights on any route, as that cookie or under the name of a login', async () => {
    const half = await signInHalf()
    const value = /two_factor=([^;]+)/.exec(half)?.[1]
    const routes = await routesOf(web, own.cookie)
    for (const shown of [half, `roundhouse.session_token=${value}`]) {
      await walkRoutes(web, routes, { cookie: shown, origin: web.origin }, ({ method, path }, code) => {
        if (openRoutes.has(path)) return
        const expected = path === '/api/auth/second-step' && shown === half ? 'INVALID_ARGUMENT' : 'AUTH_REQUIRED'
        expect([method, path, code]).toEqual([method, path, expected])
      })
    }
    const authorization = `Bearer ${decodeURIComponent(value ?? '')}`
    expect((await web.ask('/api/v1/me', { headers: { authorization } })).code).toBe('AUTH_REQUIRED')
  })

  it('[T70] [A11] opens no socket', async () => {
    const socket = new RawSocket(web, { cookie: await signInHalf(), origin: web.origin })
    expect(await socket.status).toBe(101)
    socket.send('40/viewer,')
    expect(await socket.hears('44/viewer,')).toContain('AUTH_REQUIRED')
  })

  it('[WEB-1] [T73] takes its code from our own page alone', async () => {
    const half = await signInHalf()
    const body = JSON.stringify({ code: codeOf(secret) })
    const post = (headers: Record<string, string>) =>
      web.ask('/api/auth/second-step', { method: 'POST', body, headers: { cookie: half, ...headers } })
    expect((await post({ origin: 'https://evil.example', 'content-type': 'application/json' })).status).toBe(403)
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403)
    expect((await post({ origin: web.origin, 'content-type': 'text/plain' })).code).toBe('INVALID_ARGUMENT')
    expect((await post(web.json)).status).toBe(200)
    expect((await post(web.json)).code).toBe('AUTH_REQUIRED')
  })
})
