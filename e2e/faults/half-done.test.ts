/** A sign-in that is half done, against the production build: its key opens nothing, wherever it is shown. */
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '../support/browser/authenticator'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawSocket } from '../support/wire/raw-socket'
import { newBrowserKey } from '../support/wire/raw-web'
import { keyed, openRoutes, routesOf, walkRoutes } from '../support/wire/route-walk'

const own = hubOfFile('half-done')
const { web } = own
let secret: string

beforeAll(async () => {
  const { login } = own
  const proof = { password: owner.password }
  secret = JSON.parse((await web.post('/api/v1/me/totp', proof, { login, ...keyed })).body).secret
  const confirmed = await web.post('/api/v1/me/totp/confirm', { code: codeOf(secret, -1) }, { login, ...keyed })
  expect(confirmed.status).toBe(200)
})

/** The key that showed the password and owes the code. */
async function signInHalf(): Promise<string> {
  const key = await newBrowserKey()
  const credentials = { email: owner.email, password: owner.password }
  const answer = await web.post('/api/auth/sign-in/email', credentials, { 'new-key': key })
  expect(JSON.parse(answer.body)).toEqual({ ok: true, codeNeeded: true })
  expect(answer.body).not.toContain('token')
  expect(answer.headers['set-cookie']).toBeUndefined()
  return key
}

describe('a sign-in that is half done', () => {
  it('[WEB-1.20] [A1] [A21] [T56] has no rights on any route, by its key as that of a login or as a new one', async () => {
    const half = await signInHalf()
    const routes = await routesOf(web, own.login)
    const shown: Array<Record<string, string>> = [
      { login: half },
      { 'new-key': half },
      { cookie: `two_factor=${half}` },
    ]
    for (const headers of shown) {
      await walkRoutes(web, routes, { ...headers, origin: web.origin }, ({ method, path }, code) => {
        if (openRoutes.has(path)) return
        const isOwed = path === '/api/auth/second-step' && 'new-key' in headers
        expect([method, path, code]).toEqual([method, path, isOwed ? 'INVALID_ARGUMENT' : 'AUTH_REQUIRED'])
      })
    }
    const authorization = `Bearer ${half}`
    expect((await web.ask('/api/v1/me', { headers: { authorization } })).code).toBe('AUTH_REQUIRED')
  })

  it('[WEB-1] takes its code from the key that showed the password, and from no other', async () => {
    await signInHalf()
    const other = await newBrowserKey()
    const shown = await web.post('/api/auth/second-step', { code: codeOf(secret) }, { 'new-key': other })
    expect(shown.code).toBe('AUTH_REQUIRED')
  })

  it('[T70] [A11] opens no socket', async () => {
    const socket = new RawSocket(web, { login: await signInHalf(), origin: web.origin })
    expect(await socket.status).toBe(101)
    socket.send(await socket.entry('viewer'))
    expect(await socket.hears('44/viewer,')).toContain('AUTH_REQUIRED')
  })

  it('[WEB-1.4] [T73] takes its code from our own page alone', async () => {
    const half = await signInHalf()
    const body = JSON.stringify({ code: codeOf(secret) })
    const post = (headers: Record<string, string>) =>
      web.ask('/api/auth/second-step', { method: 'POST', body, headers: { 'new-key': half, ...headers } })
    expect((await post({ origin: 'https://evil.example', 'content-type': 'application/json' })).status).toBe(403)
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403)
    expect((await post({ origin: web.origin, 'content-type': 'text/plain' })).code).toBe('INVALID_ARGUMENT')
    expect((await post(web.json)).status).toBe(200)
    expect((await post(web.json)).code).toBe('AUTH_REQUIRED')
  })
})
