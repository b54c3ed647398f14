import { LATEST_MILLIS } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { machineLimits } from '../core/machines/machine-limits'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { ask, created, hostState, liveSession, requested, resolved, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

const NOON = 1_800_000_000_000
const MINUTE = 60_000

describe('a machine', () => {
  let hub: TestHub
  let agent: FakeAgent
  let now: number
  beforeEach(async () => {
    now = NOON
    hub = await TestHub.start({ now: () => now })
    agent = await connected('box')
  })
  afterEach(() => hub.stop())

  async function connected(name: string): Promise<FakeAgent> {
    const made = await hub.enrol(name)
    await made.open()
    await made.hello({ now })
    await made.ask('sessions', { sessions: [], last: true })
    return made
  }

  const refusals = async () => {
    const rows = await hub.store.prisma.audit.findMany({ where: { action: 'machine.refused' }, orderBy: { id: 'asc' } })
    return rows.map(({ actorId, detail }) => [actorId, JSON.parse(detail ?? '{}').why])
  }
  const told = async (count: number) => {
    await hub.until(() => hub.warnings.filter(({ message }) => message === 'a machine was refused').length >= count)
    await hub.core.audit({ actorId: 'hub', actorName: 'hub', action: 'x', outcome: 'ok' }) // behind the others
    return refusals()
  }

  /** Many questions of one session, dated as the machine likes. */
  async function asks(from: FakeAgent, count: number, askedAt: number, name = 'q'): Promise<string> {
    const sessionId = await liveSession(hub, from)
    const events = Array.from({ length: count }, (_, i) => requested(`${name}${i}`, { askedAt }))
    for (let at = 0; at < count; at += 64) await from.emit(sessionId, ...events.slice(at, at + 64))
    return sessionId
  }

  it('[VIEW-7.9] [VIEW-7.8] 600 questions dated 1970 hide nobody else’s question, and the Inbox says how many it leaves out', async () => {
    const other = await connected('other')
    for (const name of ['a', 'b', 'c', 'd']) await asks(other, 150, 0, name)
    await asks(agent, 2, NOON, 'mine')
    const { requests, cut } = await hub.core.inbox.get(ana)
    const listed = requests.map(({ ask }) => ask.requestId)
    expect(listed.slice(0, 4)).toEqual(['d100', 'mine0', 'd101', 'mine1'])
    expect(listed.length).toBe(52)
    expect(cut).toEqual([{ agentId: other.agentId, agentName: 'other', count: 550 }])
  })

  it('[VIEW-7] 250 sessions of one machine crowd nobody else’s running session out of the Inbox', async () => {
    const mine = await liveSession(hub, agent)
    const other = await connected('other')
    now += MINUTE
    const begun = (name: string) => [
      created(`log_${name}`),
      { kind: 'turn_started', turnId: 't', trigger: 'backend' } as const,
    ]
    const names = Array.from({ length: 250 }, (_, i) => `other_${i}`)
    await Promise.all(names.map((name) => other.emit(name, ...begun(name))))
    const { running } = await hub.core.inbox.get(ana)
    expect(running.filter(({ agentId }) => agentId === other.agentId).length).toBe(200)
    expect(running.map(({ sessionId }) => sessionId)).toContain(mine)
  })

  it('[BAD-4.2] [BAD-4.3] has so many open questions, in a session and in all; what is beyond is a tombstone and shown nowhere', async () => {
    const { requestsOfSession, requests } = machineLimits
    const sessionId = await asks(agent, requestsOfSession + 1, NOON)
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.requests.length).toBe(requestsOfSession)
    expect(session.head).toBe(requestsOfSession + 2)
    const { events } = await hub.core.sessions.events(ana, sessionId, { limit: 1 })
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({ kind: 'tombstone', code: 'TOO_MANY_REQUESTS' })
    for (let i = 1; i * requestsOfSession < requests; i += 1) await asks(agent, requestsOfSession, NOON, `${i}-`)
    const last = await asks(agent, 1, NOON, 'one-more-')
    await agent.state(hostState(last, { atSeq: 2, requests: [ask('by-its-account')] }))
    expect((await hub.core.sessions.snapshot(ana, last)).session.requests).toEqual([])
    expect(await told(1)).toEqual([[`agent:${agent.agentId}`, 'TOO_MANY_REQUESTS']])
  })

  it('[LINK-5] [BAD-4.2] what its account lists finds room behind the events that close others, also those of another session', async () => {
    const { requestsOfSession, requests } = machineLimits
    const shown = async (id: string) =>
      (await hub.core.sessions.snapshot(ana, id)).session.requests
        .filter(({ outcome }) => outcome === 'open')
        .map((request) => request.ask.requestId)
    const full = await asks(agent, requestsOfSession, NOON)
    const left = Array.from({ length: requestsOfSession - 1 }, (_, i) => ask(`q${i + 1}`))
    const atSeq = requestsOfSession + 2
    await agent.state(hostState(full, { atSeq, requests: [...left, ask('late')] }))
    expect(await shown(full)).not.toContain('late')
    await agent.emit(full, resolved('q0', 'applied'))
    await vi.waitFor(async () => expect(await shown(full)).toContain('late'))

    for (let i = 1; i * requestsOfSession < requests; i += 1) await asks(agent, requestsOfSession, NOON, `${i}-`)
    const other = await liveSession(hub, agent)
    await agent.state(hostState(other, { atSeq: 2, requests: [ask('elsewhere')] }))
    expect(await shown(other)).toEqual([])
    await agent.emit(full, resolved('q1', 'applied'))
    await vi.waitFor(async () => expect(await shown(other)).toEqual(['elsewhere']))
  })

  it('[BAD-4.2] has open questions of so much text, by events or by its accounts, and the Inbox takes what it can carry', async () => {
    const { requestBytesOfSession, requestBytes } = machineLimits
    const long = { input: { text: 'x'.repeat(900_000) } }
    const fitting = Math.ceil(requestBytesOfSession / 900_000)
    const shown = async (sessionId: string) =>
      (await hub.core.sessions.snapshot(ana, sessionId)).session.requests.length
    const listedBy = async (name: string) => {
      const sessionId = await liveSession(hub, agent)
      for (let i = 0; i < fitting + 2; i++)
        await agent.state(hostState(sessionId, { atSeq: 1, rev: i + 2, requests: [ask(`${name}${i}`, long)] }))
      return sessionId
    }
    expect(await shown(await listedBy('listed'))).toBe(fitting)
    const byEvents = await liveSession(hub, agent)
    const told = { input: { text: 'x'.repeat(200_000) } }
    for (let i = 0; i < 24; i++) await agent.emit(byEvents, requested(`told${i}`, told))
    expect(await shown(byEvents)).toBe(Math.ceil(requestBytesOfSession / 200_000))

    for (let i = 2; i * requestBytesOfSession < requestBytes; i++) await listedBy(`more${i}-`)
    expect(await shown(await listedBy('last'))).toBe(0)
    const { requests, cut } = await hub.core.inbox.get(ana)
    expect(requests.length).toBe(4)
    expect(cut).toEqual([{ agentId: agent.agentId, agentName: 'box', count: expect.any(Number) }])
  }, 60_000)

  it('[BAD-4.1] [SES-3] makes so many sessions by itself at once, and the others as time goes by', async () => {
    const make = (name: string) => agent.send(name, [envelope(created(`log_${name}`), 1)])
    for (let from = 0; from < machineLimits.sessionsAtOnce; from += 500) {
      const made = await Promise.all(Array.from({ length: 500 }, (_, i) => make(`own_${from + i}`)))
      expect(made.every(({ ok }) => ok)).toBe(true)
    }
    expect(await make('too_many')).toMatchObject({ error: { code: 'RATE_LIMITED', retryable: true } })
    now += MINUTE
    expect(await make('too_many')).toMatchObject({ ok: true })
    expect(await liveSession(hub, agent)).toMatch(/^ses_/) // what a person makes is not the machine's
    expect(await told(1)).toContainEqual([`agent:${agent.agentId}`, 'RATE_LIMITED'])
  }, 60_000)

  it('[BAD-4.4] [BAD-4.5] says only so much of itself: a manifest, a title and paths beyond all measure are not kept', async () => {
    const manifest = { manifestVersion: 1 as const, generatedAt: 'y'.repeat(machineLimits.manifestBytes), backends: [] }
    expect(await agent.ask('manifest', { manifest })).toMatchObject({ error: { code: 'FRAME_TOO_LARGE' } })
    const again = hub.adopt(agent)
    await again.open()
    const policy = {
      roots: ['/r'.repeat(9_999), ...Array(999).fill('/r')],
      maxSandbox: 's'.repeat(999),
      summary: 'w'.repeat(9_999),
    }
    expect(await again.hello({ now, manifest, policy })).toMatchObject({ ok: true })
    const view = await hub.core.agents.get(ana, agent.agentId)
    expect(JSON.stringify(view.manifest).length).toBeLessThan(10_000)
    expect([view.roots.length, view.roots[0]?.length, view.maxSandbox?.length]).toEqual([256, 4_096, 200])
    await again.emit('titled', { ...created('log_titled'), title: 't'.repeat(100_000) })
    expect((await hub.core.sessions.snapshot(ana, 'titled')).session.title.length).toBe(machineLimits.titleChars)
    expect(await told(1)).toEqual([[`agent:${agent.agentId}`, 'MANIFEST_TOO_LARGE']])
  })

  it('[LINK-2.8] that has just started and has asked no program yet keeps the programs that it named before', async () => {
    const manifest = JSON.stringify({ backends: [{ kind: 'claude', capabilities: {} }] })
    await hub.store.prisma.agent.update({ where: { agentId: agent.agentId }, data: { manifest } })
    const named = async () => (await hub.core.agents.get(ana, agent.agentId)).manifest?.backends.map(({ kind }) => kind)
    expect(await named()).toEqual(['claude'])
    const again = hub.adopt(agent)
    await again.open()
    await again.hello({ now, manifest: { manifestVersion: 1, generatedAt: '2026-01-02T00:00:00Z', backends: [] } })
    expect(await named()).toEqual(['claude'])
  })

  it('[BAD-4.4] [CMD-6.1] answers the question for its manifest with one that is too large: the one before stays', async () => {
    const before = (await hub.core.agents.get(ana, agent.agentId)).manifest
    // Of characters that take three bytes each.
    const generatedAt = '…'.repeat(machineLimits.manifestBytes / 2)
    agent.questionAnswer = { manifest: { manifestVersion: 1, generatedAt, backends: [] } }
    await expect(hub.core.agents.refresh(ana, agent.agentId)).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' })
    expect((await hub.core.agents.get(ana, agent.agentId)).manifest).toEqual(before)
  })

  it('[BAD-4.8] [SES-1] that sends foreign ids, unknown verbs, damaged bodies and frames without shape is in the audit log, once a minute and cause', async () => {
    const other = await connected('other')
    const foreign = await liveSession(hub, other)
    const mine = await liveSession(hub, agent)
    const misbehave = async () => {
      for (let i = 0; i < 5; i += 1) {
        await agent.send(foreign, [envelope(text('x'), 2)])
        await agent.state(hostState(foreign))
        agent.socket.emit('shell.run', { command: 'id' })
        await agent.ask('waits', 'no shape')
      }
      const whole = envelope(text('a word'), agent.log(mine).events.length + 1)
      agent.log(mine).events.push(whole)
      expect(await agent.send(mine, [{ ...whole, body: whole.body.replace('word', 'wosd') }])).toMatchObject({
        ok: true,
      })
    }
    await misbehave()
    await misbehave()
    const actor = `agent:${agent.agentId}`
    const once = ['SESSION_NOT_YOURS', 'UNKNOWN_VERB', 'MALFORMED_FRAME', 'DAMAGED'].map((why) => [actor, why])
    expect((await told(4)).sort()).toEqual([...once].sort())
    now += MINUTE
    await misbehave()
    expect((await told(8)).sort()).toEqual([...once, ...once].sort())
  })
})

describe('the clock of a machine', () => {
  let hub: TestHub
  let agent: FakeAgent
  let now: number
  beforeEach(async () => {
    now = NOON
    hub = await TestHub.start({ now: () => now })
    agent = await hub.enrol()
    await agent.open()
    await agent.hello({ now })
    await agent.ask('sessions', { sessions: [], last: true })
  })
  afterEach(() => hub.stop())

  const skew = async () => (await hub.core.agents.get(ana, agent.agentId)).clockSkewMs
  const ping = (ahead: number) => agent.ask('clock', { now: now + ahead })

  it('[LOG-10.4] [LOG-10.9] is measured at every ping: beyond 30 s the page says so, and that it is right again', async () => {
    expect(await skew()).toBeUndefined()
    await ping(20_000)
    expect(await skew()).toBeUndefined()
    await ping(10 * MINUTE)
    expect(await skew()).toBe(10 * MINUTE)
    for (let i = 0; i < 3; i += 1) await ping(100)
    expect(await skew()).toBeUndefined()
    for (let i = 0; i < 3; i += 1) await ping(-MINUTE)
    expect(await skew()).toBe(-MINUTE)
  })

  it('[LOG-10.5] a message that was long on its way changes nothing', async () => {
    await ping(0)
    await ping(-40_000)
    await ping(0)
    expect(await skew()).toBeUndefined()
  })

  it('[LOG-10.7] events and questions follow the correction of the moment, and never go back behind what stands above them', async () => {
    const sessionId = await liveSession(hub, agent)
    const YEAR = 365 * 24 * 60 * MINUTE
    for (let i = 0; i < 3; i += 1) await ping(-2 * YEAR) // its clock says 2024
    now += MINUTE
    const askedAt = now - 2 * YEAR
    await agent.send(sessionId, [envelope(requested('r1', { askedAt, expiresAt: askedAt + MINUTE }), 2, askedAt)])
    await agent.state(hostState(sessionId, { atSeq: 3, requests: [ask('r1'), ask('r2', { askedAt: 1 })] }))
    const { requests } = await hub.core.inbox.get(ana)
    expect(requests.map(({ ask }) => [ask.requestId, ask.askedAt - now, ask.expiresAt && ask.expiresAt - now])).toEqual(
      [
        ['r1', 0, MINUTE],
        ['r2', 0, undefined],
      ],
    )
  })

  it('[LOG-10] [VIEW-7] a question that waits to the end of time is one that each inbox takes', async () => {
    const sessionId = await liveSession(hub, agent)
    for (let i = 0; i < 3; i += 1) await ping(-MINUTE)
    const endless = requested('r1', { askedAt: now, expiresAt: LATEST_MILLIS })
    await agent.send(sessionId, [envelope(endless, 2, now)])
    const { requests } = await hub.core.inbox.get(ana)
    expect(requests.map(({ ask }) => ask.expiresAt)).toEqual([LATEST_MILLIS])
  })
})
