/** Somebody who may come in, and wants more: every served route with the credential of each role and of a program. */
import { beforeAll, describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawAgent } from '../support/wire/raw-socket'
import { keyed, openRoutes, type Route, routesOf, walkRoutes } from '../support/wire/route-walk'

const own = hubOfFile('rights')
const { web } = own
let login: string
let routes: Route[]

beforeAll(async () => {
  login = own.login
  routes = await routesOf(web, login)
})

const personOf = async (role: string) => web.signIn(await web.addPerson(`as-${role.slice(0, 4)}`, role))
const isOwn = (path: string) => path.startsWith('/api/v1/me/') || path.startsWith('/api/auth/')
/** What the route is about, by its address. */
const isAbout = (path: string, ...words: string[]) => words.some((word) => path.startsWith(`/api/v1/${word}`))

/** These routes, which change something, answer `FORBIDDEN`; whatever else is asked is not judged here. */
async function expectForbidden(headers: Record<string, string>, which: (route: Route) => boolean): Promise<number> {
  let asked = 0
  await walkRoutes(web, routes, headers, (route, code) => {
    if (openRoutes.has(route.path) || !which(route)) return
    asked += 1
    expect([route.method, route.path, code]).toEqual([route.method, route.path, 'FORBIDDEN'])
  })
  return asked
}

describe('somebody who may come in', () => {
  it('[T49] [T60] [A48] as a viewer changes nothing but their own account', async () => {
    const viewer = await personOf('viewer')
    const headers = { login: viewer, origin: web.origin }
    expect(await expectForbidden(headers, ({ read, path }) => !read && !isOwn(path))).toBeGreaterThan(25)
    for (const target of ['enrollment-tokens', 'people', 'invitations', 'audit', 'channels/telegram']) {
      expect((await web.ask(`/api/v1/${target}`, { headers: { login: viewer } })).code).toBe('FORBIDDEN')
    }
  })

  it('as an approver answers, and neither prompts nor manages', async () => {
    const headers = { login: await personOf('approver'), origin: web.origin }
    await expectForbidden(headers, ({ read, path }) => !read && !isOwn(path) && !isAbout(path, 'permissions'))
  })

  it('as an operator manages neither people nor machines', async () => {
    const headers = { login: await personOf('operator'), origin: web.origin }
    const manages = ({ read, path }: Route) =>
      isAbout(path, 'people', 'invitations', 'enrollment-tokens', 'audit', 'channels') ||
      (!read && isAbout(path, 'settings')) ||
      (!read && isAbout(path, 'agents/') && !path.endsWith('/refresh'))
    expect(await expectForbidden(headers, manages)).toBeGreaterThan(10)
  })

  it('[A20] as an admin makes no admin and no owner', async () => {
    const admin = await personOf('admin')
    for (const role of ['admin', 'owner']) {
      const body = { email: `${role}2@example.com`, role }
      const headers = { login: admin, 'idempotency-key': `as-an-admin-${role}` }
      expect((await web.post('/api/v1/invitations', body, headers)).code).toBe('FORBIDDEN')
    }
  })

  it('[A48] with a token that only reads changes nothing at all, the own account included', async () => {
    const request = { name: 'x', scopes: ['read'], ttlDays: 1, password: owner.password }
    const made = await web.post('/api/v1/me/tokens', request, { login, ...keyed })
    const authorization = `Bearer ${JSON.parse(made.body).token}`
    const isHalfDone = (path: string) => path === '/api/auth/second-step' // asks for the key of a sign-in alone
    expect(await expectForbidden({ authorization }, ({ read, path }) => !read && !isHalfDone(path))).toBeGreaterThan(25)
    expect(await expectForbidden({ authorization }, ({ path }) => isOwn(path) && !isHalfDone(path))).toBeGreaterThan(10)
    expect((await web.ask('/api/v1/sessions', { headers: { authorization } })).status).toBe(200)
  })

  it('[JOIN-1.10] with a token that manages machines admits none, and does not change who has to be admitted', async () => {
    const request = { name: 'x', scopes: ['read', 'manage'], ttlDays: 1, password: owner.password }
    const made = await web.post('/api/v1/me/tokens', request, { login, 'idempotency-key': 'a-managing-token' })
    const authorization = `Bearer ${JSON.parse(made.body).token}`
    const isForPeople = ({ read, path }: Route) => !read && (isAbout(path, 'settings') || path.endsWith('/approve'))
    expect(await expectForbidden({ authorization }, isForPeople)).toBe(2)
  })

  it('[T56] with the signature of an agent is nobody on any route', async () => {
    const made = JSON.parse((await web.post('/api/v1/enrollment-tokens', {}, { login, ...keyed })).body)
    const agent = new RawAgent(web)
    await agent.enroll(made.token)
    const headers = await agent.headers()
    await walkRoutes(web, routes, headers, ({ method, path }, code) => {
      if (!openRoutes.has(path)) expect([method, path, code]).toEqual([method, path, 'AUTH_REQUIRED'])
    })
  })
})
