/** One enrolled machine, or one person, that sends without end: what it costs everybody else is counted, not timed. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owner as ownerOfHub } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, says } from '../support/wire/raw-events'
import { hello, RawAgent, RawSocket } from '../support/wire/raw-socket'

const own = hubOfFile('attack-flood')
const { web, folder } = own
let keys = 0
async function machine(): Promise<RawAgent> {
  const headers = { login: own.login, 'idempotency-key': `attack-flood-${keys++}` }
  const { token } = JSON.parse((await web.post('/api/v1/enrollment-tokens', {}, headers)).body)
  const agent = new RawAgent(web)
  await agent.enroll(token, { name: `box${keys}` })
  return agent
}
const audited = (action: string) => {
  const database = new Database(path.join(folder, 'hub.db'), { readonly: true })
  const count = database.prepare('select count(*) from "Audit" where action = ?').pluck().get(action)
  database.close()
  return count
}

const COUNT = 2_000
const LAST = 99_000_001
const { manifest } = hello
const report = (i: number) => ({ sessionId: `s${i}`, logId: 'l', firstRetained: 1, last: 1, acked: 0, ackedEpoch: '' })
const page = { last: true, sessions: Array.from({ length: 200 }, (_, i) => report(i)) }
const block = (i: number, k: number) => ({
  sessionId: 'own',
  procId: 'p',
  blockId: `b${i}-${k}`,
  kind: 'assistant_text',
  afterSeq: 1,
  offset: 5,
  text: 'x',
})
const floods: Array<[kind: string, count: number, body: (i: number) => object]> = [
  ['clock', COUNT, (i) => ({ now: Date.now() + i * 10_000 })],
  ['waits', COUNT, (i) => ({ running: 0, limit: 1, commands: [], ...(i % 2 ? { disk: 'full' } : {}) })],
  ['manifest', COUNT, () => ({ manifest })],
  ['sessions', 200, () => page],
  ['live', COUNT, (i) => ({ frames: Array.from({ length: 20 }, (_, k) => block(i, k)) })],
]

describe('[FLOW-6] a machine that floods', () => {
  let bad: RawAgent
  let good: RawAgent
  let quiet: RawSocket
  let owner: RawSocket
  const created = (sessionId: string) => ({
    sessionId,
    logId: 'l',
    events: [
      envelope({
        kind: 'session_created',
        commandId: 'c',
        logId: 'l',
        settings: { backend: 'scripted', workDir: '/code' },
        realWorkDir: '/code',
      }),
    ],
  })
  beforeAll(async () => {
    bad = await machine()
    good = await machine()
    quiet = await good.connect()
    expect(await quiet.ask('agent', 'events', JSON.stringify(created('quiet')))).toMatchObject({ ok: true })
    owner = await new RawSocket(web, { login: own.login, origin: web.origin }).enter('viewer')
    await owner.ask('viewer', 'watch.inbox', '{}')
  })
  afterAll(() => {
    for (const socket of [owner, quiet]) socket.close()
  })

  it.each(floods)(
    'with `%s` is behind what other people and machines ask, and rings at nobody’s door for each',
    async (kind, count, body) => {
      const socket = await bad.connect()
      await socket.ask('agent', 'events', JSON.stringify(created('own')))
      const heard = owner.heard.length
      let isOver = false
      const last = socket.hears(`43/agent,${LAST}[`).then(() => {
        isOver = true
      })
      for (let i = 0; i < count; i += 1) socket.send(`42/agent,${JSON.stringify([kind, body(i)])}`)
      const event = quiet.ask('agent', 'events', JSON.stringify({ ...created('quiet'), events: [says('x', 2)] }))
      const page = web.ask('/api/v1/agents', { headers: { login: own.login } })
      socket.send(`42/agent,${LAST}${JSON.stringify([kind, body(count)])}`)
      expect((await web.ask('/api/v1/ready')).status).toBe(200)
      expect((await page).status).toBe(200)
      expect(await event).toMatchObject({ ok: true })
      if (kind === 'sessions' || kind === 'live') expect([kind, isOver]).toEqual([kind, false])
      expect(owner.heard.length - heard).toBeLessThan(100)
      await last
      expect(owner.heard.length - heard).toBeLessThan(100)
      socket.close()
    },
  )

  it('[JOIN-4] [BAD-4] with `hello` says it once; a wrong one leaves one row in the audit log', async () => {
    const copy = await machine()
    const first = await copy.connect()
    first.close()
    const socket = await new RawSocket(web, await copy.headers()).enter('agent')
    await socket.hears('42/agent,["welcome",')
    const said = JSON.stringify(['hello', { ...hello, chain: 'of another', now: Date.now() }])
    for (let i = 0; i < COUNT; i += 1) socket.send(`42/agent,${1_000 + i}${said}`)
    expect((await web.ask('/api/v1/ready')).status).toBe(200)
    await socket.closed
    expect(audited('agent.cloned')).toBe(1)
    expect(socket.heard.some((frame) => frame.includes('AGENT_CLONED'))).toBe(true)
  })

  it('[FLOW-6.10] with more than any machine has to say is closed, and says so once', async () => {
    const socket = await bad.connect()
    const frame = `42/agent,${JSON.stringify(['waits', { running: 0, limit: 1, commands: [] }])}`
    let isClosed = false
    const closed = socket.closed.then(() => {
      isClosed = true
    })
    while (!isClosed) {
      for (let i = 0; i < 100_000; i += 1) socket.send(frame)
      await Promise.race([closed, web.ask('/api/v1/ready')])
    }
    expect(socket.heard.filter((heard) => heard.includes('"revoked"')).join()).toContain('RATE_LIMITED')
    expect(await quiet.ask('agent', 'sessions', '{"last":true,"sessions":[]}')).toMatchObject({ ok: true })
  })
})

describe('[FLOW-6] [CMD-8] a person who comes to a session and goes again without end', () => {
  it('[FLOW-6.14] is told to its machine a few times, and other people are served before the end of it', async () => {
    const agent = await machine()
    const machineSide = await agent.connect()
    const sessionId = 'looked'
    const first = {
      kind: 'session_created',
      commandId: 'c',
      logId: 'l',
      settings: { backend: 'scripted', workDir: '/code' },
      realWorkDir: '/code',
    }
    await machineSide.ask('agent', 'events', JSON.stringify({ sessionId, logId: 'l', events: [envelope(first)] }))
    const { hubEpoch } = JSON.parse((await web.ask('/api/v1/me', { headers: { login: own.login } })).body)
    const page = await new RawSocket(web, { login: own.login, origin: web.origin }).enter('viewer')
    const before = machineSide.heard.length
    let isOver = false
    const last = page.hears(`43/viewer,${LAST}[`).then(() => {
      isOver = true
    })
    for (let i = 0; i < 200; i += 1) {
      page.send(`42/viewer,${JSON.stringify(['watch', { sessionId, afterSeq: 0, hubEpoch }])}`)
      page.send(`42/viewer,${i < 199 ? '' : LAST}${JSON.stringify(['unwatch', { sessionId }])}`)
    }
    expect((await web.ask('/api/v1/ready')).status).toBe(200)
    expect(isOver).toBe(false)
    await last
    expect(machineSide.heard.length - before).toBeLessThan(100)
    for (const socket of [page, machineSide]) socket.close()
  })
})

describe('[AUTH-1] a program that opens connections without end', () => {
  it('[AUTH-1.12] has 256 to the pages at most; the next is refused, and another one once the first are gone is not', async () => {
    const request = { name: 'flood', scopes: ['read'], ttlDays: 1, password: ownerOfHub.password }
    const made = await web.post('/api/v1/me/tokens', request, {
      login: own.login,
      'idempotency-key': 'attack-flood-token',
    })
    const { token } = JSON.parse(made.body)
    const opens = () => new RawSocket(web, { authorization: `Bearer ${token}` })
    const held: RawSocket[] = []
    for (let i = 0; i < 16; i += 1)
      held.push(...(await Promise.all(Array.from({ length: 16 }, () => opens().enter('viewer')))))
    const answered = async () => {
      const next = opens()
      await next.status
      next.send(await next.entry('viewer'))
      const answer = await next.hears('4')
      next.close()
      return answer
    }
    expect(await answered()).toMatch(/^44.*RATE_LIMITED/)
    expect((await web.ask('/api/v1/ready')).status).toBe(200)
    for (const socket of held) socket.close()
    await expect.poll(answered, { timeout: 10_000 }).toMatch(/^40/)
  })
})
