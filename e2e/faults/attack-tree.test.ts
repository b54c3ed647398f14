/**
 * Programs that start sessions, against the built hub: one that asks too much, one that acts for people who may not do what it asks,
 * and one whose token is dead.
 */
import type { TreeAnswer } from '@roundhouse/backend-types'
import { createHubClient, type HubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { PlayedLogs } from '../support/rigs/played-logs'
import { PlayedMachine } from '../support/rigs/played-machine'
import { hubOfFile } from '../support/wire/hub-of-file'
import { beginRequest } from '../support/wire/late-body'

const { hub, web } = hubOfFile('attack-tree')
const settings = { backend: 'scripted', workDir: '/code' }
const { password } = owner
let ana: HubClient
/** Two machines of the owner. Dora has the first one alone. */
let here: PlayedLogs
let there: PlayedLogs
let made = 0

beforeAll(async () => {
  ana = await hub.client()
  here = await joined()
  there = await joined()
})
afterAll(() => {
  for (const { machine } of [here, there]) machine.close()
  ana.close()
})

const joined = async () => new PlayedLogs(await PlayedMachine.join(web, (await ana.rest.makeEnrollmentToken({})).token))

async function session(prompt?: string, on = here): Promise<string> {
  const order = { agentId: on.machine.agentId, settings, ...(prompt === undefined ? {} : { prompt }) }
  const { sessionId } = await ana.rest.createSession(order)
  await on.begin(sessionId)
  return sessionId
}

/** It may start others. */
async function root(prompt?: string, on = here): Promise<string> {
  const sessionId = await session(prompt, on)
  await ana.rest.setSpawning(sessionId, { on: true, budgetUsd: 1 })
  return sessionId
}

async function child(parent: string, on = here): Promise<string> {
  const place = on === here ? {} : { machine: on.machine.agentId, workDir: '/code' }
  const answer = await here.ask(parent, 'spawn', { prompt: 'Run.', ...place })
  if (!answer.ok) throw new Error(answer.error.code)
  const sessionId = String(answer.result.sessionId)
  await on.begin(sessionId)
  return sessionId
}

const childrenOf = async (parent: string) =>
  (await ana.rest.sessions()).items.filter(({ parentId }) => parentId === parent).map(({ title }) => title)

const codeOf = (answer: TreeAnswer) => (answer.ok ? 'ok' : answer.error.code)

describe('[TREE-2.8] sessions of a tree that ask more than they may', () => {
  const counted = (ids: readonly string[]) => {
    const counts: Record<string, number> = {}
    for (const outcome of ids.map((id) => here.outcome(id))) counts[outcome] = (counts[outcome] ?? 0) + 1
    return counts
  }
  const refused = (ids: readonly string[]) => counted(ids).RATE_LIMITED ?? 0

  it('are refused by a code, behind the first of each session; their waits delay nobody, and are gone with the turn', async () => {
    // Its prompt is not over, so whoever waits for it waits on.
    const top = await root('Go.')
    const kids: string[] = []
    while (kids.length < 5) kids.push(await child(top))
    const [first = '', second = '', third = '', fourth = '', late = ''] = kids
    const stranger = await session()
    const wait = (of: string, count: number) => here.request(of, 'wait', { sessionIds: [top] }, count)

    const before = await wait(first, 40)
    await until('what is too much of a session', () => refused(before) === 8)
    expect(refused(before.slice(0, 32))).toBe(0)
    for (const kid of [second, third, fourth]) before.push(...(await wait(kid, 32)))
    // The tree is full. The first of another session takes the place of the last of one that has more.
    const [taking = ''] = await wait(late, 1)
    await until('what is too much of the tree', () => refused([...before, taking]) === 9)
    expect(here.outcome(taking)).toBe('open')
    for (const sessionId of [late, stranger]) expect(codeOf(await here.ask(sessionId, 'read'))).toBe('ok')

    const isOver = { kind: 'turn_completed', turnId: 't', procId: 'p', reason: 'interrupted' }
    const hasEnded = { kind: 'session_ended', why: 'stopped' }
    for (const kid of [first, second, third]) await here.write(kid, isOver)
    await here.write(fourth, hasEnded)
    // What was open counts no more.
    const after = await wait(first, 31)
    expect(codeOf(await here.ask(first, 'read'))).toBe('ok')
    await here.write(top, hasEnded)
    // The hub looks at waits at its next tick, or behind what somebody asks.
    await here.request(late, 'read', {})
    await until('an answer to each that waits', () => [taking, ...after].every((id) => here.outcome(id) !== 'open'))
    expect(counted([taking, ...after])).toEqual({ ok: 32 })
    expect(counted(before)).toEqual({ open: before.length - refused(before), RATE_LIMITED: refused(before) })
  })
})

describe('[TREE-2.9] a session of a tree that reaches a machine', () => {
  let dora: HubClient
  let doraId: string
  beforeAll(async () => {
    const email = await web.addPerson('dora', 'operator', [here.machine.agentId])
    dora = createHubClient(await signIn(hub.url, email, password))
    doraId = (await ana.rest.people()).items.find((one) => one.email === email)?.userId ?? ''
  })
  afterAll(() => dora.close())

  const everything = ['read', 'send', 'spawn', 'wait'] as const
  /** What the session hears that asks for this about the other machine. */
  async function codes(from: string, other: string, verbs: readonly (typeof everything)[number][]): Promise<string[]> {
    const inputs = {
      read: { sessionId: other },
      send: { sessionId: other, text: 'Do it.' },
      spawn: { prompt: 'Run.', machine: there.machine.agentId, workDir: '/code' },
      wait: { sessionIds: [other], timeoutSeconds: 0.001 },
    }
    return Promise.all(verbs.map(async (verb) => codeOf(await here.ask(from, verb, inputs[verb]))))
  }
  const forbidden = everything.map(() => 'FORBIDDEN')

  /** The session has asked for a permission. */
  async function asks(sessionId: string): Promise<string> {
    const requestId = `req_${++made}`
    const turn = { turnId: 't1', procId: 'p' }
    const call = { callId: 'c1', toolName: 'Bash', input: {}, display: { verb: 'Run', wish: 'run', paths: [] } }
    const about = { requestId, ...turn, digest: 'd'.repeat(64), cwd: '/code', askedAt: Date.now() }
    const can = { canEdit: true, canExplainDeny: true, filesPinned: true, redactedSpans: 0 }
    const ask = { ...call, shape: { kind: 'command' }, ...about, ...can }
    await here.write(sessionId, { kind: 'permission_requested', ...turn, ask })
    return requestId
  }
  const deny = async (sessionId: string, more: object) =>
    dora.rest.decide(await asks(sessionId), { decision: 'deny', digest: 'd'.repeat(64), ...more })
  const tell = async (sessionId: string) => {
    const { token } = await dora.rest.makeToken({ name: 'd', scopes: ['orchestrator'], ttlDays: 1, password })
    const headers = () => ({ authorization: `Bearer ${token}` })
    const data = { correlation_id: 'r1', text: 'Use the other machine.' }
    const told = {
      v: 1,
      id: `told-${++made}`,
      topic: `cmd.${sessionId}.approve`,
      schema: 'cmd-approve-v1',
      data,
    } as const
    const { results } = await new HubRest(new Transport({ baseUrl: hub.url, headers })).publish([told])
    expect(results).toMatchObject([{ ok: true }])
  }
  const text = 'Use the other machine.'
  const edit = { op: 'edit', promptId: 'p1', rev: 0, text } as const
  const ways: Array<[string, (sessionId: string) => Promise<unknown>]> = [
    ['prompted it', (sessionId) => dora.rest.prompt(sessionId, { promptId: `p-${++made}`, text })],
    ['edited a prompt of it', (sessionId) => dora.rest.queue(sessionId, edit)],
    ['told its program something on the bus', tell],
    ['denied a request of it with a reason', (sessionId) => deny(sessionId, { reason: text })],
    ['gave it its name', (sessionId) => dora.rest.rename(sessionId, { title: text })],
  ]

  it.each(ways)(
    'that somebody lacks who %s gets nothing there, also when their session is deleted',
    async (_what, gives) => {
      const top = await root()
      const [kin, other] = [await child(top), await child(top, there)]
      await gives(kin)
      expect(await codes(top, other, everything)).toEqual(forbidden)
      const own = await here.ask(top, 'read')
      expect(own).toMatchObject({ ok: true, result: { children: [{ sessionId: kin }] } })
      await ana.rest.deleteSession(kin)
      expect(await codes(top, other, ['send'])).toEqual(['FORBIDDEN'])
    },
  )

  it('that somebody lacks who gave it no text gets what it asks; with a text, only once they have the machine, and not while they are disabled', async () => {
    const allowed = ['read', 'send', 'spawn'] as const
    const top = await root()
    const other = await child(top, there)
    await deny(top, {})
    await dora.rest.rename(top, { archived: false })
    expect(await codes(top, other, allowed)).toEqual(allowed.map(() => 'ok'))
    await dora.rest.prompt(top, { promptId: `p-${++made}`, text })
    expect(await codes(top, other, everything)).toEqual(forbidden)
    const both = [here, there].map(({ machine }) => machine.agentId)
    await ana.rest.changePerson(doraId, { agents: both })
    expect(await codes(top, other, allowed)).toEqual(allowed.map(() => 'ok'))
    await ana.rest.changePerson(doraId, { disabled: true })
    expect(await codes(top, other, everything)).toEqual(forbidden)
  })
})

describe('[TREE-3.5] a program that starts sessions by a token that is taken back', () => {
  async function conductor() {
    const { token, tokenId } = await ana.rest.makeToken({ name: 'c', scopes: ['orchestrator'], ttlDays: 1, password })
    const headers = { authorization: `Bearer ${token}` }
    return { headers, tokenId, rest: new HubRest(new Transport({ baseUrl: hub.url, headers: () => headers })) }
  }
  const spawn = (parent: string, name: string) => ({
    ...({ v: 1, id: `spawn-${++made}`, topic: `cmd.${parent}.spawn`, schema: 'cmd-spawn-v1' } as const),
    data: { name, mission: 'Run the tests.' },
  })

  it('[AUTH-1.2] between the headers and the body of its request starts none, and tells nobody anything', async () => {
    const top = await root()
    const { headers, tokenId, rest } = await conductor()
    expect(await rest.publish([spawn(top, 'In time')])).toMatchObject({ results: [{ ok: true }] })
    const late = await beginRequest(web, '/api/v1/events', {
      method: 'POST',
      headers: { ...web.json, ...headers, 'idempotency-key': `spawn-late-${++made}` },
      body: JSON.stringify({ messages: [spawn(top, 'Late')] }),
    })
    // The headers were judged: a request behind them is answered.
    expect((await web.ask('/api/v1/peers', { headers })).status).toBe(200)
    await ana.rest.removeToken(tokenId)
    expect(JSON.parse((await late.finish()).body)).toMatchObject({
      results: [{ ok: false, error: { code: 'AUTH_REQUIRED' } }],
    })
    expect(await childrenOf(top)).toEqual(['In time'])
    await expect(rest.publish([spawn(top, 'Later')])).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
    const said = (await ana.rest.call('listMessages', { query: { pattern: `cmd.${top}.spawn` } })).items
    expect(said.map(({ data }) => data.name)).toEqual(['In time'])
  })

  it('[CMD-4.5] while the machine is away starts none there; another token’s begins once the machine is back', async () => {
    const away = await joined()
    const top = await root('Go.', away)
    const [dead, living] = [await conductor(), await conductor()]
    away.machine.close()
    const isAway = async () => !(await ana.rest.agent(away.machine.agentId)).online
    await until('the hub to miss the machine', isAway)
    for (const [{ rest }, name] of [
      [dead, 'Dead'],
      [living, 'Living'],
    ] as const)
      expect(await rest.publish([spawn(top, name)])).toMatchObject({ results: [{ ok: true }] })
    await ana.rest.removeToken(dead.tokenId)
    await away.comeBack()
    const order = (title: string) => ({ body: { kind: 'session.create', title } })
    await until('the order of the living token', () =>
      away.machine.commands.find(({ body }) => body.kind === 'session.create' && body.title === 'Living'),
    )
    const ordered = (await ana.rest.sessions()).items.find(({ title }) => title === 'Dead')?.sessionId ?? ''
    const state = async () => (await ana.rest.snapshot(ordered)).session.commands[0]
    expect(await until('the end of the other', async () => (await state())?.state === 'expired')).toBe(true)
    expect(await state()).toMatchObject({ kind: 'session.create', error: { code: 'FORBIDDEN' } })
    expect(away.machine.commands).not.toContainEqual(expect.objectContaining(order('Dead')))
    away.machine.close()
  })
})
