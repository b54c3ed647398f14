/**
 * Rights hold until the write: every route that changes something is called by somebody who may, and loses that between the
 * judgement and the transaction. It is refused, and nothing has changed; the very same request is taken once the rights are back.
 */

import { Action as Actions } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Login } from '../auth/authenticate'
import type { Right } from '../core/access/access'
import { fakeKey } from '../testing/fake-key'
import { deeds, type Json, World } from '../testing/route-deeds'
import { ana, TestHub } from '../testing/test-hub'

/** These ask for no login: what is shown there is judged by what it is itself. */
const open = new Set(['post /setup', 'post /invitations/accept'])
const walked = Object.keys(deeds).filter((route) => !open.has(route) && !route.startsWith('post /agent/'))

const login: Login = { actor: ana, loginId: ana.credential.id, email: 'ana@example.com' }
const asToken: Login = {
  ...login,
  actor: {
    ...ana,
    credential: { kind: 'token', id: 'tok_ana' },
    only: new Set<Right>([...Actions.options, 'bus.work', 'bus.orchestrate']),
  },
  program: true,
}

describe('rights that end between the judgement and the write', () => {
  let hub: TestHub
  let world: World
  /** What happens right before the next write. */
  let beforeWrite: (() => Promise<void>) | null = null

  beforeAll(async () => {
    const accounts = { create: () => world.person(), hash: async () => 'hash' }
    hub = await TestHub.start({ accounts })
    world = new World(hub)
    hub.people.clear() // Ana is in the database, and nowhere else
    const { transactions } = hub.store
    const write = transactions.write.bind(transactions)
    transactions.write = async (work) => {
      const first = beforeWrite
      beforeWrite = null
      await first?.()
      return write(work)
    }
    const { bus } = hub.store
    const append = bus.append.bind(bus)
    bus.append = async (...wanted) => {
      const first = beforeWrite
      beforeWrite = null
      await first?.()
      return append(...wanted)
    }
    await restore()
  })
  afterAll(() => hub.stop())

  const soon = () => new Date(Date.now() + 3_600_000)
  /** Ana with all she has. */
  async function restore(): Promise<void> {
    const { prisma } = hub.store
    const { userId, name } = ana
    const row = { name, email: 'ana@example.com', role: 'owner', banned: false }
    await prisma.user.upsert({ where: { id: userId }, create: { id: userId, ...row }, update: row })
    const id = ana.credential.id
    const one = { userId, expiresAt: soon(), token: 'a token of the login', ...fakeKey() }
    await prisma.authSession.upsert({ where: { id }, create: { id, ...one }, update: one })
    const token = { secretHash: 'x', userId, name: 'CI', scopes: '["read","decide","operate","manage","orchestrator"]' }
    const times = { createdAt: new Date(), expiresAt: soon() }
    await prisma.apiToken.upsert({
      where: { tokenId: 'tok_ana' },
      create: { tokenId: 'tok_ana', ...token, ...times },
      update: { ...token, ...times },
    })
    await prisma.machineShare.deleteMany()
    const share = { userId, createdAt: new Date(), createdBy: 'x' }
    await prisma.machineShare.createMany({ data: (await machines()).map((agentId) => ({ ...share, agentId })) })
    for (const data of kept.logins)
      await prisma.authSession.upsert({ where: { id: data.id }, create: data, update: {} })
    for (const data of kept.passkeys) await prisma.passkey.upsert({ where: { id: data.id }, create: data, update: {} })
    for (const data of kept.codes) await prisma.twoFactor.upsert({ where: { id: data.id }, create: data, update: {} })
    for (const data of kept.accounts) await prisma.account.upsert({ where: { id: data.id }, create: data, update: {} })
  }
  const machines = async () => {
    const rows = await hub.store.reads.machines.listWithManifests()
    return ['agt_none', ...rows.map(({ agentId }) => agentId)]
  }
  /** What goes with the person's row, as it was when the walk of a route began. */
  const factors = async () => ({
    logins: await hub.store.prisma.authSession.findMany(),
    passkeys: await hub.store.prisma.passkey.findMany(),
    codes: await hub.store.prisma.twoFactor.findMany(),
    accounts: await hub.store.prisma.account.findMany(),
  })
  let kept: Awaited<ReturnType<typeof factors>> = { logins: [], passkeys: [], codes: [], accounts: [] }

  interface Loss {
    as?: () => Promise<Login>
    take: () => Promise<unknown>
    code: 'AUTH_REQUIRED' | 'FORBIDDEN'
  }
  const user = () => hub.store.prisma.user
  const where = { id: ana.userId }
  /** With machines that were shared one by one. */
  const asOperator = async (): Promise<Login> => {
    await user().update({ where, data: { role: 'operator' } })
    return { ...login, actor: { ...ana, role: 'operator', agents: new Set(await machines()) } }
  }
  const losses: Record<string, Loss> = {
    'is removed': { take: () => user().delete({ where }), code: 'AUTH_REQUIRED' },
    'is disabled': { take: () => user().update({ where, data: { banned: true } }), code: 'AUTH_REQUIRED' },
    'is signed out': { take: () => hub.store.prisma.authSession.deleteMany(), code: 'AUTH_REQUIRED' },
    'has a lower role': { take: () => user().update({ where, data: { role: 'admin' } }), code: 'FORBIDDEN' },
    'has lost the machine': {
      as: asOperator,
      take: () => hub.store.prisma.machineShare.deleteMany(),
      code: 'FORBIDDEN',
    },
    'uses a token that is taken back': {
      as: async () => asToken,
      take: () => hub.store.prisma.apiToken.deleteMany(),
      code: 'AUTH_REQUIRED',
    },
  }

  /** Rows that only a deed leaves. */
  const traces = async () => ({
    deeds: await hub.store.prisma.audit.count({ where: { actorId: ana.userId, outcome: 'ok' } }),
    answers: await hub.store.prisma.idempotency.count(),
    offers: await hub.store.prisma.twoFactor.count(),
  })

  /** Every way of losing them in turn, then the request itself. Tells which ways were no way: without that role it was refused at once. */
  async function loseThenDo(send: () => Promise<{ ok: boolean; json: Json }>): Promise<string[]> {
    const tried: string[] = []
    kept = await factors()
    for (const [name, { as, take, code }] of Object.entries(losses)) {
      await restore()
      world.login = (await as?.()) ?? login
      let before = await traces()
      let lost = false
      beforeWrite = async () => {
        lost = true
        await take()
        before = await traces()
      }
      const { json } = await send()
      beforeWrite = null
      if (lost) {
        tried.push(name)
        expect([name, (json.error as Json | undefined)?.code ?? json]).toEqual([name, code])
      }
      expect(await traces()).toEqual(before)
    }
    await restore()
    world.login = login
    return tried
  }

  it.each(walked)('[AUTH-1] [T95] %s', async (route) => {
    const [method = '', template = ''] = route.split(' ')
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`)
    const ask = world.ask.bind(world)
    let tried: string[] = []
    world.ask = async (verb, path, body) => {
      const isIt = verb.toLowerCase() === method && pattern.test(path.split('?')[0] ?? '')
      if (isIt && tried.length === 0) tried = await loseThenDo(() => ask(verb, path, body))
      return ask(verb, path, body)
    }
    try {
      await deeds[route]?.call(world)
    } finally {
      world.ask = ask
    }
    expect(tried).toEqual(expect.arrayContaining(['is removed', 'is disabled', 'is signed out', 'has a lower role']))
    const ofPeopleAlone =
      template.startsWith('/me/') || /webhooks|channels|spawning|people|invitations|settings|approve/.test(template)
    if (!ofPeopleAlone) expect(tried).toContain('uses a token that is taken back')
    if (['/sessions', '/runs', '/permissions'].some((place) => template.startsWith(place)))
      expect(tried).toContain('has lost the machine')
  })
})
