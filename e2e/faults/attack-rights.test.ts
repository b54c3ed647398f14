/**
 * Races for rights that end: password hashes take long enough to be overtaken, and the audit log, written in the transaction of
 * each deed, says what came first.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { beginRequest } from '../support/wire/late-body'
import { RawAgent, RawSocket } from '../support/wire/raw-socket'
import { newBrowserKey, type RawAnswer } from '../support/wire/raw-web'

const own = hubOfFile('attack-rights', { env: { ROUNDHOUSE_BEHIND_TLS_PROXY: '1' } })
const { web } = own
type Headers = Record<string, string>
let keys = 0
/** Each from an address of its own: limits are another test's. */
const send = (method: string, target: string, headers: Headers, body?: object): Promise<RawAnswer> =>
  web.ask(target.startsWith('/api/') ? target : `/api/v1${target}`, {
    method,
    headers: {
      ...web.json,
      'x-forwarded-for': `203.0.${keys >> 8}.${keys & 255}`,
      'idempotency-key': `attack-rights-${keys++}`,
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const asOwner = (method: string, target: string, body?: object) => send(method, target, { login: own.login }, body)
const json = async (answer: Promise<RawAnswer>) => JSON.parse((await answer).body)
const { password } = owner

interface Person {
  userId: string
  email: string
  login: string
  headers: Headers
}
async function person(role: string): Promise<Person> {
  const name = `racer${keys++}`
  const email = `${name}@example.com`
  const { link } = await json(asOwner('POST', '/invitations', { email, role, agents: [agent.agentId] }))
  const joined = await send('POST', '/invitations/accept', {}, { code: String(link).split('#')[1], name, password })
  if (joined.status !== 201) throw new Error(`${name} did not come in: ${joined.body}`)
  const { items } = await json(asOwner('GET', '/people'))
  const { userId } = items.find((one: { email: string }) => one.email === email)
  const { login } = await signInAs(email)
  return { userId, email, login, headers: { login } }
}
const signInAs = async (email: string, word = password) => {
  const login = await newBrowserKey()
  const answer = await send('POST', '/api/auth/sign-in/email', { 'new-key': login }, { email, password: word })
  return { login, answer }
}
const isIn = async (headers: Headers) => (await web.ask('/api/v1/me', { headers })).status === 200
const tokenBody = { name: 'x', scopes: ['read'], ttlDays: 1, password }
const times = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))
/** Somewhere within the time that a password takes to be judged. */
const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await web.ask('/api/v1/health')
}

let agent: RawAgent
let sessionId: string
beforeAll(async () => {
  agent = new RawAgent(web)
  await agent.enroll((await json(asOwner('POST', '/enrollment-tokens', {}))).token)
  const settings = { backend: 'scripted', workDir: '/code' }
  sessionId = (await json(asOwner('POST', '/sessions', { agentId: agent.agentId, settings }))).sessionId
})

/** What the audit log has of this person behind the row that took their rights away. */
async function deedsBehindTheEnd(who: Person): Promise<string[]> {
  type Row = { id: number; actorId: string; action: string; object: string; outcome: string }
  const rows = (await json(asOwner('GET', '/audit?limit=500'))).items as Row[]
  const isOwn = ({ actorId }: Row) => actorId === who.userId
  const end = rows.find((row) => (isOwn(row) ? row.action === 'login.end' : row.object === who.userId))
  if (!end) throw new Error(`no row tells of the end: ${JSON.stringify(rows.slice(0, 9))}`)
  return rows
    .filter((row) => isOwn(row) && row.id > end.id && !/refused|denied|failed/.test(row.outcome))
    .map(({ action, outcome }) => `${action} ${outcome}`)
}

type Loss = [string, (who: Person) => Promise<RawAnswer>]
const losses: Loss[] = [
  ['disabled', ({ userId }) => asOwner('PATCH', `/people/${userId}`, { disabled: true })],
  ['removed', ({ userId }) => asOwner('DELETE', `/people/${userId}`)],
  ['signed out everywhere', ({ userId }) => asOwner('POST', `/people/${userId}/sign-out`)],
  ['lowered', ({ userId }) => asOwner('PATCH', `/people/${userId}`, { role: 'viewer' })],
]

describe('in the middle of a storm of their own requests somebody is', () => {
  it.each(losses)('[AUTH-1.2] [A22] %s: no deed of theirs stands behind that in the audit log', async (_what, take) => {
    const who = await person('admin')
    let over = false
    const deeds: Array<() => Promise<RawAnswer>> = [
      () => send('POST', '/enrollment-tokens', who.headers, {}),
      () => send('POST', '/invitations', who.headers, { email: `f${keys}@example.com`, role: 'viewer', agents: [] }),
      () => send('PATCH', `/sessions/${sessionId}`, who.headers, { title: `t${keys}` }),
      () => send('POST', `/sessions/${sessionId}/prompts`, who.headers, { promptId: `p${keys}`, text: 'x' }),
      () => send('POST', `/sessions/${sessionId}/stop`, who.headers, {}),
      () => send('PATCH', `/agents/${agent.agentId}`, who.headers, { name: `n${keys}` }),
      () => send('PATCH', '/settings', who.headers, { requireApproval: false }),
    ]
    const codes = new Set<string>()
    const storm = deeds.map(async (deed) => {
      while (!over) codes.add((await deed()).code ?? 'done')
    })
    await turns(5)
    const { status } = await take(who)
    await turns(5)
    over = true
    await Promise.all(storm)
    expect([
      status,
      [...codes].filter((code) => !['done', 'AUTH_REQUIRED', 'FORBIDDEN', 'COMMAND_PENDING', 'LIMIT'].includes(code)),
    ]).toEqual([200, []])
    expect(codes.size).toBeGreaterThan(1)
    expect(await deedsBehindTheEnd(who)).toEqual([])
  })
})

describe('while a password is being judged', () => {
  it.each([
    ...losses.slice(0, 2),
    [
      'given a link for a new password, which is used',
      async ({ userId }: Person) => {
        const { link } = await json(asOwner('POST', `/people/${userId}/recover`))
        return send(
          'POST',
          '/invitations/accept',
          {},
          { code: String(link).split('#')[1], name: 'x', password: 'another long password' },
        )
      },
    ] as Loss,
    [
      'given another password by themselves',
      ({ headers }: Person) =>
        send('POST', '/api/auth/change-password', headers, {
          currentPassword: password,
          newPassword: 'another long password',
          revokeOtherSessions: true,
        }),
    ] as Loss,
  ])('[AUTH-1] [T77] somebody is %s: no login comes of the old one', async (_what, take) => {
    const who = await person('operator')
    const logins: string[] = []
    const coming = times(6, async (i) => {
      await turns(i)
      const { login, answer } = await signInAs(who.email)
      if (answer.status === 200) logins.push(login)
    })
    const taken = await take(who)
    expect(taken.status).toBeLessThan(300)
    await coming
    for (const login of logins) expect(await isIn({ login })).toBe(false)
  })

  it.each([
    ...losses.slice(0, 3),
    ['signed out by themselves', ({ headers }: Person) => send('POST', '/api/auth/sign-out', headers, {})] as Loss,
  ])('[AUTH-1.6] [AUTH-2] somebody is %s: no token, no code and no other password comes of it', async (what, take) => {
    const who = await person('operator')
    const tokens: string[] = []
    const asked = Promise.all([
      ...Array.from({ length: 3 }, async () => {
        const answer = await send('POST', '/me/tokens', who.headers, tokenBody)
        if (answer.status < 300) tokens.push(JSON.parse(answer.body).token)
        return answer.status
      }),
      send('POST', '/me/totp', who.headers, { password }),
      send('POST', '/api/auth/change-password', who.headers, {
        currentPassword: password,
        newPassword: 'another long password',
        revokeOtherSessions: false,
      }),
    ])
    await turns(2)
    expect((await take(who)).status).toBe(200)
    await asked
    expect(await deedsBehindTheEnd(who)).toEqual([])
    if (what === 'signed out by themselves') return
    for (const token of tokens) expect(await isIn({ authorization: `Bearer ${token}` })).toBe(false)
  })
})

describe('what rested on somebody else', () => {
  it('[AUTH-1.5] [A20] an admin lowers, disables and renames nobody who has become an owner meanwhile', async () => {
    const admin = await person('admin')
    const victim = await person('operator')
    const attempts = [
      ['PATCH', `/people/${victim.userId}`, { role: 'viewer' }],
      ['PATCH', `/people/${victim.userId}`, { disabled: true }],
      ['PATCH', `/people/${victim.userId}`, { name: 'Nobody' }],
      ['PATCH', `/people/${victim.userId}`, { agents: [] }],
    ] as const
    const begun = await Promise.all(
      attempts.map(([method, path, body]) =>
        beginRequest(web, `/api/v1${path}`, {
          method,
          headers: { ...web.json, ...admin.headers, 'idempotency-key': `late-${keys++}` },
          body: JSON.stringify(body),
        }),
      ),
    )
    await web.ask('/api/v1/me', { headers: admin.headers })
    expect((await asOwner('PATCH', `/people/${victim.userId}`, { role: 'owner' })).status).toBe(200)
    const codes = await Promise.all(begun.map(async (one) => (await one.finish()).code))
    expect(codes).toEqual(attempts.map(() => 'FORBIDDEN'))
    const { items } = await json(asOwner('GET', '/people'))
    expect(items.find(({ userId }: Person) => userId === victim.userId)).toMatchObject({
      role: 'owner',
      disabled: false,
    })
    await asOwner('DELETE', `/people/${victim.userId}`)
  })

  it('[AUTH-2.4] [JOIN-1] invitations, links and enrollment tokens whose body is on its way end with who made them', async () => {
    for (const take of losses.map(([, one]) => one).filter((_one, i) => i !== 2)) {
      const admin = await person('admin')
      const { link } = await json(
        send('POST', '/invitations', admin.headers, { email: `late${keys}@example.com`, role: 'viewer', agents: [] }),
      )
      const forgetful = await person('viewer')
      const recover = await json(send('POST', `/people/${forgetful.userId}/recover`, admin.headers, {}))
      const { token } = await json(send('POST', '/enrollment-tokens', admin.headers, {}))
      const codeOf = (one: string) => String(one).split('#')[1]
      const accept = (code: string | undefined, name: string) =>
        beginRequest(web, '/api/v1/invitations/accept', {
          method: 'POST',
          headers: web.json,
          body: JSON.stringify({ code, name, password: 'another long password' }),
        })
      const begun = [await accept(codeOf(link), 'Late Guest'), await accept(codeOf(recover.link), 'x')]
      await turns(3)
      expect((await take(admin)).status).toBe(200)
      for (const one of begun) expect((await one.finish()).status).toBeGreaterThanOrEqual(400)
      expect((await new RawAgent(web).enroll(token)).code).toBe('ENROLLMENT_INVALID')
      expect((await signInAs(forgetful.email, 'another long password')).answer.status).toBe(401)
    }
  })

  it('[JOIN-2.7] [JOIN-3] a machine that is revoked between the headers and the body gets no other key', async () => {
    const machine = new RawAgent(web)
    await machine.enroll((await json(asOwner('POST', '/enrollment-tokens', {}))).token)
    const next = new RawAgent(web)
    const { signedText } = await import('@roundhouse/backend-types')
    const { hubId, nonce } = await machine.challenge()
    const said = signedText.rotate(hubId, machine.agentId, nonce, next.publicKey)
    const body = JSON.stringify({
      agentId: machine.agentId,
      nonce,
      newPublicKey: next.publicKey,
      signature: machine.sign(said),
      newSignature: next.sign(said),
    })
    const begun = await beginRequest(web, '/api/v1/agent/rotate-key', { method: 'POST', headers: web.json, body })
    await turns(2)
    expect((await asOwner('POST', `/agents/${machine.agentId}/revoke`, {})).status).toBe(200)
    expect((await begun.finish()).status).toBeGreaterThanOrEqual(400)
    next.agentId = machine.agentId
    const socket = new RawSocket(web, await next.headers())
    expect(await socket.status).not.toBe(101)
  })
})

describe('a repeat', () => {
  it('[AUTH-1.7] [CMD-1] gets no first answer by less than the first had: a link, a token, a secret', async () => {
    const who = await person('admin')
    const secrets = [
      ['POST', '/enrollment-tokens', {}],
      ['POST', '/invitations', { email: `again${keys}@example.com`, role: 'viewer', agents: [] }],
      ['POST', '/me/tokens', { ...tokenBody, scopes: ['read', 'manage'] }],
    ] as const
    const weak = `Bearer ${(await json(send('POST', '/me/tokens', who.headers, tokenBody))).token}`
    const key = (i: number) => ({ 'idempotency-key': `the-first-answer-${i}` })
    const shown: string[] = []
    for (const [i, [method, path, body]] of secrets.entries()) {
      const { body: text } = await send(method, path, { ...who.headers, ...key(i) }, body)
      const { token, link } = JSON.parse(text) as { token?: string; link?: string }
      shown.push(token ?? link?.split('#')[1] ?? '')
    }
    expect(shown.every((secret) => secret.length > 30)).toBe(true)
    const tells = ({ body }: RawAnswer) => shown.filter((secret) => body.includes(secret))
    const repeat = (headers: Headers) =>
      Promise.all(secrets.map(([method, path, body], i) => send(method, path, { ...headers, ...key(i) }, body)))
    for (const answer of await repeat({ authorization: weak }))
      expect([answer.code, tells(answer)]).toEqual(['FORBIDDEN', []])
    for (const answer of await repeat({ login: own.login })) expect(tells(answer)).toEqual([])
    await asOwner('PATCH', `/people/${who.userId}`, { role: 'viewer' })
    for (const headers of [who.headers, { login: (await signInAs(who.email)).login }])
      for (const answer of (await repeat(headers)).slice(0, 2))
        expect([answer.status >= 400, tells(answer)]).toEqual([true, []])
  })
})
