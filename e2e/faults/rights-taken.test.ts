/**
 * Somebody's rights are taken away while their requests are on their way: the headers are sent, the right ends, the body comes.
 * Every route of the hub's own document that takes a body, on the production build, by plain HTTP.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { beginRequest, type LateBody } from '../support/wire/late-body'
import { RawAgent, RawSocket } from '../support/wire/raw-socket'
import type { RawAnswer } from '../support/wire/raw-web'
import { bodyTypeOf, openRoutes, ownBody, type TakesBody } from '../support/wire/route-walk'

const own = hubOfFile('rights-taken')
const { web } = own
type Headers = Record<string, string>
let keys = 0
const send = (method: string, target: string, headers: Headers, body?: object): Promise<RawAnswer> =>
  web.ask(`/api/v1${target}`, {
    method,
    headers: { ...web.json, 'idempotency-key': `rights-taken-${keys++}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const signedIn = (login: string): Headers => ({ login: login })
const asOwner = (method: string, target: string, body?: object) => send(method, target, signedIn(own.login), body)
const json = async (answer: Promise<RawAnswer>) => JSON.parse((await answer).body)

interface Person {
  userId: string
  headers: Headers
}

async function person(role: string): Promise<Person> {
  const email = await web.addPerson(`someone-${keys++}`, role)
  const { items } = await json(asOwner('GET', '/people'))
  const { userId } = items.find((one: { email: string }) => one.email === email)
  return { userId, headers: signedIn(await web.signIn(email)) }
}

async function asProgram(headers: Headers): Promise<Headers> {
  const wanted = {
    name: 'x',
    scopes: ['read', 'decide', 'operate', 'manage', 'worker'],
    ttlDays: 1,
    password: owner.password,
  }
  return { authorization: `Bearer ${(await json(send('POST', '/me/tokens', headers, wanted))).token}` }
}

let ids: Record<string, string>
/** Of a token of the owner, open since the beginning. */
let program: RawSocket
let late: Array<{ method: string; path: string; type: string }>
beforeAll(async () => {
  const agent = new RawAgent(web)
  await agent.enroll((await json(asOwner('POST', '/enrollment-tokens', {}))).token)
  const settings = { backend: 'scripted', workDir: '/code' }
  const { sessionId } = await json(asOwner('POST', '/sessions', { agentId: agent.agentId, settings }))
  program = await new RawSocket(web, await asProgram(signedIn(own.login))).enter('viewer')
  const { hubEpoch } = await json(asOwner('GET', `/sessions/${sessionId}`))
  await program.ask('viewer', 'watch', JSON.stringify({ sessionId, afterSeq: 0, hubEpoch }))
  const guest = await person('viewer')
  ids = {
    agentId: agent.agentId,
    sessionId,
    userId: guest.userId,
    requestId: 'req_none',
    passkeyId: 'none',
    channel: 'telegram',
  }
  const document = await json(asOwner('GET', '/openapi.json'))
  late = Object.entries(document.paths as Record<string, Record<string, TakesBody>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, spec]) =>
      spec.requestBody && !openRoutes.has(path) && path !== '/api/auth/second-step'
        ? [{ method: method.toUpperCase(), path, type: bodyTypeOf(spec) }]
        : [],
    ),
  )
  expect(late.length).toBeGreaterThan(18)
})

/** What every route that takes a body understands. */
const body = () =>
  JSON.stringify({
    agentId: ids.agentId,
    settings: { backend: 'scripted', workDir: '/code' },
    promptId: 'p1',
    turnId: 't1',
    taskId: 't1',
    text: 'x',
    title: 'x',
    op: 'release',
    on: true,
    budgetUsd: 1,
    method: 'setModel',
    args: ['x'],
    messages: [{}],
    url: 'https://example.com/hook',
    topics: ['system.**'],
    decision: 'allow',
    digest: 'x',
    email: 'friend@example.com',
    role: 'viewer',
    scopes: ['read'],
    ttlDays: 1,
    requireApproval: true,
    name: 'Friend',
    password: owner.password,
    currentPassword: owner.password,
    newPassword: 'another good password',
    response: { id: 'x' },
    token: 'x',
  })

const bodyOf = (path: string) => {
  const own = ownBody(path)
  return own ? JSON.stringify({ ...own, ...('agentId' in own ? { agentId: ids.agentId } : {}) }) : body()
}

interface Begun {
  route: string
  request: LateBody
}

/** The headers of each route that this credential opens, judged by the hub: a request that followed them was answered. */
async function beginAll(headers: Headers, which: (path: string) => boolean): Promise<Begun[]> {
  const begun = await Promise.all(
    late
      .filter(({ path }) => which(path))
      .map(async ({ method, path, type }) => {
        const target = path.replace(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? 'none')
        const text = path.endsWith('/totp/confirm') ? JSON.stringify({ code: '123456' }) : bodyOf(path)
        const key = { 'idempotency-key': `rights-taken-${keys++}` }
        const request = await beginRequest(web, target, {
          method,
          headers: { ...web.json, 'content-type': type, ...key, ...headers },
          body: text,
        })
        return { route: `${method} ${path}`, request }
      }),
  )
  expect((await web.ask('/api/v1/me', { headers })).status).toBe(200)
  return begun
}

/** Those about the own account one after another: five proofs at once are the end of guessing. */
async function finishAll(begun: Begun[]): Promise<Record<string, string>> {
  const finish = async ({ route, request }: Begun) => [route, (await request.finish()).code ?? 'done'] as const
  const answers = await Promise.all(begun.filter(({ route }) => !isOwn(route)).map(finish))
  for (const one of begun.filter(({ route }) => isOwn(route))) answers.push(await finish(one))
  return Object.fromEntries(answers)
}

/** Of everything that a person could have changed. */
async function world(): Promise<unknown> {
  const { people, invitations, tokens, settings, session, agents } = {
    people: await json(asOwner('GET', '/people')),
    invitations: await json(asOwner('GET', '/invitations')),
    tokens: await json(asOwner('GET', '/enrollment-tokens')),
    settings: await json(asOwner('GET', '/settings')),
    session: (await json(asOwner('GET', `/sessions/${ids.sessionId}`))).session,
    agents: await json(asOwner('GET', '/agents')),
  }
  const sessions = (await json(asOwner('GET', '/sessions'))).items.length
  return { people, invitations, tokens, settings, agents, sessions, title: session.title, commands: session.commands }
}

const isOwn = (path: string) => /\/api\/(v1\/me|auth)\//.test(path)
const isForPeople = (path: string) => isOwn(path) || /people|invitations|settings|spawning|webhooks|channels/.test(path)
const everything = () => true
const onSessions = (path: string) => /\/sessions|\/permissions|\/prompts/.test(path)
const change = (what: object) => (who: Person) => asOwner('PATCH', `/people/${who.userId}`, what)

interface Loss {
  role: string
  program?: boolean
  take: (who: Person) => Promise<RawAnswer>
  which: (path: string) => boolean
  code: string
}
const losses: Array<[string, Loss]> = [
  [
    'removed',
    {
      role: 'owner',
      take: ({ userId }) => asOwner('DELETE', `/people/${userId}`),
      which: everything,
      code: 'AUTH_REQUIRED',
    },
  ],
  ['disabled', { role: 'owner', take: change({ disabled: true }), which: everything, code: 'AUTH_REQUIRED' }],
  [
    'signed out by somebody',
    {
      role: 'admin',
      take: ({ userId }) => asOwner('POST', `/people/${userId}/sign-out`),
      which: everything,
      code: 'AUTH_REQUIRED',
    },
  ],
  [
    'signed out by themselves',
    {
      role: 'admin',
      take: ({ headers }) => web.post('/api/auth/sign-out', {}, headers),
      which: everything,
      code: 'AUTH_REQUIRED',
    },
  ],
  ['demoted', { role: 'owner', take: change({ role: 'operator' }), which: everything, code: 'FORBIDDEN' }],
  [
    'left without the machine',
    { role: 'operator', take: change({ agents: [] }), which: onSessions, code: 'FORBIDDEN' },
  ],
  [
    'without the token of their program',
    {
      role: 'admin',
      program: true,
      take: async ({ headers }) => {
        const [token] = (await json(send('GET', '/me/tokens', headers))).items
        return send('DELETE', `/me/tokens/${token.tokenId}`, headers)
      },
      which: (path) => !isForPeople(path),
      code: 'AUTH_REQUIRED',
    },
  ],
]

describe('between the headers and the body of a request somebody is', () => {
  it.each(losses)(
    '[AUTH-1.2] [AUTH-1.4] [T95] [A22] %s: it is refused on every route, and nothing has changed',
    async (_what, loss) => {
      const who = await person(loss.role)
      const headers = loss.program ? await asProgram(who.headers) : who.headers
      const begun = await beginAll(headers, loss.which)
      expect((await loss.take(who)).status).toBe(200)
      const before = await world()
      const answers = await finishAll(begun)
      expect(answers).toEqual(Object.fromEntries(begun.map(({ route }) => [route, loss.code])))
      expect(await world()).toEqual(before)
    },
  )
})

describe('a program’s token', () => {
  it('[AUTH-2.1] [AUTH-2.3] ends with “sign out everywhere” and with the role, and its socket with it', async () => {
    const email = await web.addPerson(`someone-${keys++}`, 'operator')
    const { items } = await json(asOwner('GET', '/people'))
    const { userId } = items.find((one: { email: string }) => one.email === email)
    for (const take of [
      () => asOwner('POST', `/people/${userId}/sign-out`),
      () => asOwner('PATCH', `/people/${userId}`, { role: 'approver' }),
    ]) {
      const headers = await asProgram(signedIn(await web.signIn(email)))
      const socket = await new RawSocket(web, headers).enter('viewer')
      expect((await take()).status).toBe(200)
      await socket.closed
      expect((await web.ask('/api/v1/me', { headers })).code).toBe('AUTH_REQUIRED')
    }
  })

  it('[AUTH-1] keeps its socket as long as it is good, however often the hub looks at logins', async () => {
    // Ten seconds after it watched (VIEW-3). Logins were looked at several times by then.
    await program.hears('42/viewer,["heads"')
    expect((await program.ask('viewer', 'watch.inbox', '{}')).ok).toBe(true)
    program.close()
  })
})
