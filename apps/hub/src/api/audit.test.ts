import type { AuditItem, AuditPage } from '@roundhouse/backend-types'
import { signedText } from '@roundhouse/backend-types'
import { isSignedBy } from '@roundhouse/keys'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { secretOf } from '../testing/secret-of'
import { owner, TestApi } from '../testing/test-api'

const wrong = 'not the password at all'

let hub: TestApi
let ana: string
beforeEach(async () => {
  hub = await TestApi.start()
  ana = await hub.signIn()
})
afterEach(() => hub.remove())

const audit = async (query = '', login = ana) =>
  (await hub.ask('GET', `/api/v1/audit${query}`, { login })).json as unknown as AuditPage
const signIn = async (email: string, password: string, address = '10.1.1.1', login?: string) => {
  const newKey = await hub.newKey()
  return hub.ask('POST', '/api/auth/sign-in/email', {
    body: { email, password },
    address,
    newKey,
    ...(login ? { login } : {}),
  })
}
const invite = (role: string, login = ana) => {
  const body = { email: `${role}@example.com`, role }
  return hub.ask('POST', '/api/v1/invitations', { login, key: hub.key(), body })
}
async function join(role: string): Promise<string> {
  const code = String((await invite(role)).json.link).split('#')[1]
  const person = { name: `Person-${role.slice(0, 3)}`, password: 'a password of my own' }
  await hub.ask('POST', '/api/v1/invitations/accept', { body: { code, ...person } })
  return (await hub.loginOf({ email: `${role}@example.com`, password: person.password })) ?? ''
}
const short = ({ action, outcome, actorName, address }: AuditItem) => `${action} ${outcome} ${actorName} ${address}`

describe('the audit log over REST', () => {
  it('is for owners and admins, and for no program', async () => {
    const answers: Record<string, number> = {}
    for (const role of ['admin', 'operator', 'approver', 'viewer']) {
      answers[role] = (await hub.ask('GET', '/api/v1/audit', { login: await join(role) })).status
    }
    expect(answers).toEqual({ admin: 200, operator: 403, approver: 403, viewer: 403 })
    const scopes = ['read', 'decide', 'operate', 'manage']
    const body = { name: 'script', scopes, ttlDays: 1, password: owner.password }
    const made = await hub.ask('POST', '/api/v1/me/tokens', { login: ana, key: hub.key(), body })
    expect((await hub.ask('GET', '/api/v1/audit', { token: String(made.json.token) })).status).toBe(403)
    expect((await hub.ask('GET', '/api/v1/audit')).status).toBe(401)
  })

  it('comes newest first, page by page, each row once', async () => {
    for (let i = 0; i < 3; i += 1) await invite('viewer')
    const all = (await audit()).items
    const paged: AuditItem[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page = await audit(`?limit=2${next && `&cursor=${next}`}`)
      paged.push(...page.items)
      next = page.next
    }
    expect(paged).toEqual(all)
    expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => all.length - i))
    expect((await hub.ask('GET', '/api/v1/audit?cursor=x', { login: ana })).json.error?.code).toBe('INVALID_ARGUMENT')
  })

  it('is asked for one person, for one action and for a kind of action', async () => {
    await invite('viewer')
    await signIn(owner.email, wrong)
    const actions = async (query: string) => new Set((await audit(query)).items.map(({ action }) => action))
    expect(await actions('?action=person')).toEqual(new Set(['person.invite']))
    expect(await actions('?action=person.invite')).toEqual(new Set(['person.invite']))
    expect(await actions('?action=perso')).toEqual(new Set())
    expect(await actions('?actorId=stranger')).toEqual(new Set(['login.begin']))
  })

  it('tells who was at the door and from where: setup, in, refused, out, another password', async () => {
    const other = 'another good password'
    const own = (path: string, body: unknown) =>
      hub.ask('POST', `/api/auth/${path}`, { body, login: ana, address: '10.2.2.2' })
    await signIn(owner.email, wrong)
    await own('change-password', { currentPassword: wrong, newPassword: other })
    await own('change-password', { currentPassword: owner.password, newPassword: other })
    await own('sign-out', {})
    const login = (await hub.loginOf({ ...owner, password: other })) ?? ''
    expect((await audit('', login)).items.map(short).reverse()).toEqual([
      'hub.setup ok Ana ::1',
      'login.begin ok Ana ::1',
      'login.begin refused  10.1.1.1',
      'password.change refused Ana 10.2.2.2',
      'password.change ok Ana 10.2.2.2',
      'login.end ok Ana 10.2.2.2',
      'login.begin ok Ana ::1',
    ])
  })

  it('[T75] a login that a new one took the place of is told of', async () => {
    await signIn(owner.email, owner.password, '10.1.1.1', ana)
    const login = (await hub.loginOf(owner)) ?? ''
    expect((await audit('?action=login.end', login)).items.map(short)).toEqual(['login.end ok Ana 10.1.1.1'])
  })

  it('[T76] a flood of wrong logins leaves no flood of rows, and says once that it was stopped', async () => {
    await Promise.all(Array.from({ length: 60 }, () => signIn(owner.email, wrong)))
    const rows = (await audit('?actorId=stranger')).items
    const why = rows.map(({ detail }) => (JSON.parse(detail ?? '{}') as { why: string }).why)
    expect(why.sort()).toEqual(['too many attempts', 'wrong', 'wrong', 'wrong', 'wrong', 'wrong'])
  })

  it('holds no password, no token, no code, and nothing that was typed as an address of nobody', async () => {
    await signIn(wrong, wrong)
    await signIn(owner.email, wrong)
    const link = String((await invite('viewer')).json.link)
    const made = await hub.ask('POST', '/api/v1/enrollment-tokens', { login: ana, key: hub.key(), body: {} })
    const text = JSON.stringify(await audit())
    for (const secret of [owner.password, wrong, secretOf(link), secretOf(made.json.token)]) {
      expect(secret.length).toBeGreaterThan(10)
      expect(text).not.toContain(secret)
    }
  })

  it('[T51] says that its chain holds, with a head that the hub signed; and that it does not once a row was changed', async () => {
    const { state, signature } = await audit()
    expect(state).toMatchObject({ intact: true, broken: null, count: 2 })
    const { hubId, publicKey } = hub.core.hub
    expect(isSignedBy(publicKey, signedText.auditHead(hubId, state.head), signature)).toBe(true)
    const db = new Database(hub.store.file)
    db.exec("DROP TRIGGER Audit_no_update; UPDATE Audit SET actorName = 'Eve' WHERE id = 1")
    db.close()
    const restarted = await hub.restarted().auditLog.check()
    expect(restarted).toMatchObject({ intact: false, broken: { id: 1 } })
  })

  it('is checked once for whoever turns its pages', async () => {
    const first = await audit('?limit=1')
    await invite('viewer')
    expect((await audit(`?limit=1&cursor=${first.next}`)).state).toEqual(first.state)
    expect((await audit()).state.count).toBe(first.state.count + 1)
  })

  it('[T51] a decision without a row is found while the hub runs', async () => {
    const db = new Database(hub.store.file)
    db.exec(`INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, outcome, decision, decidedBy)
      VALUES ('r1', 1, 's', 'a', 'p', 'd', '{}', 1, 'open', 'allow', 'u_1')`)
    db.close()
    expect((await audit()).state).toMatchObject({ intact: false, broken: { requestId: 'r1' } })
  })
})
