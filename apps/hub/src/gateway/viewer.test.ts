import type { Socket } from 'node:net'
import type { LiveFrame } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { rawUpgrade } from '../testing/raw-upgrade'
import { created, hostState, liveHub, liveSession, requested, text, texts } from '../testing/scenario'
import { ana, ben, TestHub, vic } from '../testing/test-hub'
import { TestViewer } from '../testing/test-viewer'

/** What the viewer's connection is made of: paused, it reads nothing. */
const wireOf = (socket: TestViewer['socket']) =>
  (socket.io.engine as unknown as { transport: { ws: { _socket: Socket } } }).transport.ws._socket

describe('a viewer', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const epoch = () => hub.core.hub.hubEpoch()
  const watching = async (afterSeq = 1, actor = ana) => {
    const viewer = await hub.viewer(actor)
    const reply = await viewer.ask('watch', { sessionId, afterSeq, hubEpoch: epoch() })
    expect(reply).toMatchObject({ ok: true, tooFar: false })
    return viewer
  }
  const frame = (offset: number, words: string, change: Partial<LiveFrame> = {}): LiveFrame => ({
    sessionId,
    procId: 'p1',
    blockId: 'b1',
    kind: 'assistant_text',
    afterSeq: 1,
    offset,
    text: words,
    ...change,
  })

  it('[VIEW-1.3] sees the rest after its snapshot, before the answer to watch, then everything new', async () => {
    await agent.emit(sessionId, ...texts(3))
    const viewer = await hub.viewer()
    const reply = viewer.ask('watch', { sessionId, afterSeq: 2, hubEpoch: epoch() }).then(() => viewer.seqs())
    expect(await reply).toEqual([3, 4])
    await agent.emit(sessionId, text('new'))
    await viewer.until(() => viewer.events.length === 3)
    expect(viewer.seqs()).toEqual([3, 4, 5])
  })

  it('[VIEW-1.1] snapshot: head, epoch, view, open blocks and the latest page in one state', async () => {
    await agent.emit(sessionId, { kind: 'turn_started', turnId: 't1', trigger: 'prompt' }, ...texts(5))
    await agent.live([frame(0, 'half a', { afterSeq: 7 })])
    const snapshot = await hub.core.sessions.snapshot(ana, sessionId, 3)
    expect(snapshot).toMatchObject({
      head: 7,
      hubEpoch: epoch(),
      more: true,
      session: { status: { status: 'running' }, turnId: 't1', lastLine: 'line 5', agentOnline: true },
      openBlocks: [{ blockId: 'b1', text: 'half a', from: 0, length: 6 }],
    })
    expect(snapshot.events.map((event) => event.seq)).toEqual([5, 6, 7])
  })

  it('[VIEW-3] hears the heads of what it watches, and of nothing else', async () => {
    await liveSession(hub, agent)
    const viewer = await watching()
    await hub.gateway.sendHeads()
    await viewer.until(() => viewer.heads.length === 1)
    expect(viewer.heads).toEqual([{ [sessionId]: 1 }])
  })

  it('[VIEW-5.1] a viewer too far behind takes a snapshot', async () => {
    for (let batch = 0; batch < 80; batch += 1) await agent.emit(sessionId, ...texts(64))
    const viewer = await hub.viewer()
    expect(await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: epoch() })).toMatchObject({
      ok: true,
      tooFar: true,
      head: 5_121,
    })
    await agent.emit(sessionId, text('unheard'))
    expect(viewer.events).toEqual([])
    expect(await viewer.ask('watch', { sessionId, afterSeq: 5_000, hubEpoch: epoch() })).toMatchObject({
      tooFar: false,
    })
  })

  it('[REB-2.16] [T87] a cursor of another epoch takes a snapshot', async () => {
    const viewer = await hub.viewer()
    const reply = await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: 'e_before' })
    expect(reply).toMatchObject({ tooFar: true, hubEpoch: epoch() })
  })

  it('[VIEW-4.1] [VIEW-4.3] [F14] a viewer that reads too slowly is told so, loses nothing by HTTP, and slows nobody', async () => {
    const fast = await watching()
    const slow = await watching()
    const socket = wireOf(slow.socket)
    socket.pause()
    const big = 'x'.repeat(240_000)
    for (let i = 0; i < 60; i += 1) await agent.emit(sessionId, text(big))
    await fast.until(() => fast.events.length === 60)
    socket.resume()
    await slow.until(() => slow.lagged.length >= 2)
    expect(slow.events.length).toBeLessThan(60)
    expect(slow.lagged.at(-1)).toBe(61)
    const page = await hub.core.sessions.events(ana, sessionId, { after: slow.seqs().at(-1) ?? 0, limit: 1_000 })
    expect(page.events[0]?.seq).toBe((slow.seqs().at(-1) ?? 0) + 1)
    await agent.emit(sessionId, text('again'))
    await slow.until(() => slow.seqs().includes(62))
  })

  it('[VIEW-1] one that leaves before its watch has ended is sent nothing of the session', async () => {
    const viewer = await hub.viewer()
    const other = await watching()
    const asked = { sessionId, afterSeq: 1, hubEpoch: epoch() }
    await Promise.all([viewer.ask('watch', asked), viewer.ask('unwatch', { sessionId })])
    await agent.emit(sessionId, text('unheard'))
    await other.until(() => other.events.length === 1)
    expect(await viewer.ask('watch.inbox', {})).toMatchObject({ ok: true })
    expect(viewer.events).toEqual([])
  })

  it('[VIEW-1] one that leaves and comes back at once is sent everything', async () => {
    const viewer = await hub.viewer()
    const asked = { sessionId, afterSeq: 1, hubEpoch: epoch() }
    await Promise.all([
      viewer.ask('watch', asked),
      viewer.ask('unwatch', { sessionId }),
      viewer.ask('watch', asked),
      viewer.ask('unwatch', { sessionId }),
      viewer.ask('watch', asked),
    ])
    await agent.emit(sessionId, text('heard'))
    await viewer.until(() => viewer.seqs().includes(2))
  })

  it('[VIEW-4] one that leaves while it lags does not come back by itself, as its neighbour does', async () => {
    const fast = await watching()
    const [leaves, stays] = [await watching(), await watching()]
    for (const { socket } of [leaves, stays]) wireOf(socket).pause()
    for (let i = 0; i < 60; i += 1) await agent.emit(sessionId, text('x'.repeat(240_000)))
    await fast.until(() => fast.events.length === 60)
    const left = leaves.ask('unwatch', { sessionId })
    wireOf(leaves.socket).resume()
    await left
    expect(leaves.lagged.length).toBeGreaterThan(0)
    await hub.gateway.sendHeads()
    // Told of both times: that it lags, and that it is back. It drains after the one that left.
    wireOf(stays.socket).resume()
    await stays.until(() => stays.lagged.length === 2)
    await agent.emit(sessionId, text('unheard'))
    await stays.until(() => stays.seqs().includes(62))
    expect(await leaves.ask('watch.inbox', {})).toMatchObject({ ok: true })
    expect(leaves.seqs()).not.toContain(62)
  })

  it('[LOG-5.10] [LOG-5.11] sees live text as it comes, asks for what is missing, and the finished block ends it', async () => {
    const viewer = await watching()
    await agent.live([frame(0, 'Hello '), frame(6, 'world')])
    await viewer.until(() => viewer.live.length === 2)
    expect(await viewer.ask('block.get', { sessionId, blockId: 'b1', from: 6 })).toEqual({
      ok: true,
      text: 'world',
      from: 6,
      length: 11,
    })
    const late = await watching()
    await late.until(() => late.live.length === 1)
    expect(late.live).toMatchObject([{ offset: 0, text: 'Hello world' }])
    await agent.emit(sessionId, { kind: 'assistant_text', text: 'Hello world', blockId: 'b1' })
    expect((await hub.core.sessions.snapshot(ana, sessionId)).openBlocks).toEqual([])
  })

  it('[LOG-5.10] the hub asks again for the text of a block where the agent did not give it', async () => {
    agent.questionAnswer = {}
    await agent.live([frame(20, 'e middle')])
    await agent.waiter.until(() => agent.questions.length === 1)
    agent.questionAnswer = { text: 'the beginning and the middle', length: 28 }
    const isWhole = async () =>
      (await hub.core.sessions.snapshot(ana, sessionId)).openBlocks[0]?.text === 'the beginning and the middle'
    while (!(await isWhole())) await agent.live([frame(20, 'e middle')])
    expect(agent.questions).toHaveLength(2)
  })

  it('[LOG-5.10] the hub asks the agent for the part of a block that it never heard', async () => {
    agent.questionAnswer = { text: 'the beginning and the middle', length: 28 }
    await agent.live([frame(20, 'e middle')])
    await agent.waiter.until(() => agent.questions.length === 1)
    expect(agent.questions).toEqual([{ kind: 'block', sessionId, blockId: 'b1', from: 0 }])
    await agent.emit(sessionId, text('something else')) // the answer was on its way before this
    expect((await hub.core.sessions.snapshot(ana, sessionId)).openBlocks).toMatchObject([
      { text: 'the beginning and the middle' },
    ])
  })

  it('[SES-5.1] views carry a rev that grows, also over a restart', async () => {
    const viewer = await watching()
    await agent.state(hostState(sessionId, { rev: 2, status: { status: 'running' } }))
    await agent.state(hostState(sessionId, { rev: 3, status: { status: 'idle' } }))
    await viewer.until(() => viewer.views.at(-1)?.status.status === 'idle')
    const revs = viewer.views.map((view) => view.rev)
    expect(revs).toEqual([...revs].sort((a, b) => a - b))
    await hub.crash()
    await hub.store.close()
    hub = await TestHub.start({ file: hub.store.file })
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.rev).toBeGreaterThan(viewer.view.rev)
  })

  it('[VIEW-7.1] [VIEW-7.2] a page hears that the inbox is newer, and reads what waits', async () => {
    const viewer = await hub.viewer(ben)
    const inbox = await hub.core.inbox.get(ben)
    expect(await viewer.ask('watch.inbox', {})).toEqual({ ok: true, rev: inbox.rev })
    await agent.emit(sessionId, { kind: 'turn_started', turnId: 't1', trigger: 'prompt' }, requested('r1'))
    await viewer.until(() => viewer.inbox.length > 0)
    const newer = await hub.core.inbox.get(ben)
    expect(viewer.inbox).toEqual([{ rev: newer.rev }])
    expect(newer.rev).toBe(inbox.rev + 1)
    expect(newer).toMatchObject({
      running: [{ sessionId, pendingRequests: 1, status: { status: 'needs_you' } }],
      requests: [{ ask: { requestId: 'r1' }, decision: null, outcome: 'open' }],
    })
  })

  it('[T47] a request raised while nobody looked is in the inbox of whoever comes first', async () => {
    await agent.emit(sessionId, requested('r1'))
    const { requests } = await hub.core.inbox.get(vic)
    expect(requests).toMatchObject([{ ask: { requestId: 'r1' }, agentName: 'box', backend: 'scripted' }])
  })

  it('an agent that leaves makes its sessions unreachable at once, and its return ends that', async () => {
    const viewer = await watching()
    agent.close()
    await viewer.until(() => viewer.views.at(-1)?.unreachableSince !== undefined)
    await agent.connect([agent.report(sessionId)])
    await viewer.until(() => viewer.views.at(-1)?.agentOnline === true)
    expect(viewer.view.unreachableSince).toBeUndefined()
  })

  it('[SES-3.1] [SES-3.2] a deleted session is gone for its viewers, its agent, and for good', async () => {
    const viewer = await watching()
    const made = await hub.core.sessions.remove(ana, sessionId, hub.key())
    await viewer.until(() => !viewer.socket.connected)
    await agent.waiter.until(() => agent.commands.some((command) => command.commandId === made.commandId))
    expect(agent.verdicts).toEqual([{ sessionId, verdict: 'deleted' }])
    await expect(hub.core.sessions.snapshot(ana, sessionId)).rejects.toMatchObject({ code: 'SESSION_DELETED' })
    expect(await agent.send(sessionId, agent.append(sessionId, text('late')))).toMatchObject({
      error: { code: 'SESSION_DELETED' },
    })
    agent.close()
    expect(await agent.connect([agent.report(sessionId)])).toEqual([{ sessionId, verdict: 'deleted' }])
    const rows = await hub.store.prisma.event.count()
    expect(rows).toBe(0)
  })

  describe('comes in', () => {
    it('[T70] [WEB-1.4] only from our own origin: 403, and a line in the audit log', async () => {
      expect(await statusOf(hub, { origin: 'https://evil.example' })).toBe(403)
      const audit = await hub.store.prisma.audit.findMany({ where: { action: 'socket.refused' } })
      expect(audit).toHaveLength(1)
    })

    it('[T70] a flood of them leaves twenty lines in a minute and no more', async () => {
      const evil = { origin: 'https://evil.example' }
      const answers = await Promise.all(Array.from({ length: 30 }, () => statusOf(hub, evil)))
      expect(new Set(answers)).toEqual(new Set([403]))
      await hub.core.audit({ actorId: 'x', actorName: 'X', action: 'after', outcome: 'ok' }) // writes go one by one
      expect(await hub.store.prisma.audit.count({ where: { action: 'socket.refused' } })).toBe(20)
    })

    it('[WEB-1.2] [T16] not without a credential: it joins no room, and its connection is closed', async () => {
      const viewer = new TestViewer(hub.url, { origin: hub.url })
      await viewer.connected()
      expect(viewer.refusal).toBe('AUTH_REQUIRED')
      await viewer.until(() => !viewer.socket.io.engine || viewer.socket.io.engine.readyState === 'closed')
      viewer.close()
    })

    it('[WEB-1] [T73] [WEB-3.1] with a cookie alone: that is no credential', async () => {
      const viewer = new TestViewer(hub.url, { cookie: 'login=u_ana-1', origin: hub.url })
      await viewer.connected()
      expect(viewer.refusal).toBe('AUTH_REQUIRED')
      viewer.close()
    })

    it('[T56] not with a garbage credential', async () => {
      const viewer = new TestViewer(hub.url, { origin: hub.url }, { proof: 'nobody-1' })
      await viewer.connected()
      expect(viewer.refusal).toBe('AUTH_REQUIRED')
      await viewer.until(() => !viewer.socket.io.engine || viewer.socket.io.engine.readyState === 'closed')
      viewer.close()
    })

    it('[T77] no longer than its login lives', async () => {
      const staying = await hub.viewer(ana, 'u_ana-2')
      const leaving = await hub.viewer(ana, 'u_ana-1')
      const swept = await hub.viewer(ben, 'u_ben-9')
      hub.core.doorbells.ring('loginEnded', { loginId: 'u_ana-1' })
      await leaving.until(() => !leaving.socket.connected)
      hub.endedLogins.add('u_ben-9')
      await hub.gateway.sweepLogins()
      await swept.until(() => !swept.socket.connected)
      expect(staying.socket.connected).toBe(true)
      hub.gateway.closePerson('u_ana')
      await staying.until(() => !staying.socket.connected)
    })

    it('[T78] to no session that is not there, whatever the id looks like', async () => {
      const viewer = await hub.viewer()
      for (const odd of ['ses_none', `${sessionId} `, `session:${sessionId}`, '../x', 'a'.repeat(65), '']) {
        const reply = await viewer.ask('watch', { sessionId: odd, afterSeq: 0, hubEpoch: epoch() })
        expect(reply).toMatchObject({ ok: false })
      }
      await agent.emit(sessionId, text('unheard'))
      await hub.gateway.sendHeads()
      await viewer.ask('watch.inbox', {})
      expect([viewer.events, viewer.heads]).toEqual([[], []])
    })

    it('not into the room of agents, nor an agent into that of viewers', async () => {
      const viewer = await hub.viewer()
      const inAgents = viewer.socket.io.socket('/agent')
      const refused = await new Promise<string>((resolve) => inAgents.once('connect_error', (e) => resolve(e.message)))
      expect(refused).toBe('AUTH_FAILED')
      const inViewers = agent.socket.io.socket('/viewer').connect()
      const other = await new Promise<string>((resolve) => inViewers.once('connect_error', (e) => resolve(e.message)))
      expect(other).toBe('AUTH_REQUIRED')
    })
  })

  it('[FLOW-3.1] a flood of one session does not hold up the prompt of another', async () => {
    const other = await liveSession(hub, agent)
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId: other, afterSeq: 1, hubEpoch: epoch() })
    const flood = Array.from({ length: 12 }, () => agent.send(sessionId, agent.append(sessionId, ...texts(64))))
    await agent.emit(other, requested('r1'))
    await viewer.until(() => viewer.views.at(-1)?.requests.length === 1)
    await Promise.all(flood)
    expect((await hub.core.sessions.snapshot(ana, sessionId)).head).toBe(1 + 12 * 64)
  })

  it('lists sessions in pages, newest first, by machine, state and words', async () => {
    const ids = [sessionId]
    for (const title of ['alpha', 'beta', 'gamma']) {
      await agent.emit(`s_${title}`, { ...created(`log_${title}`), title })
      ids.push(`s_${title}`)
    }
    const first = await hub.core.sessions.list(vic, { limit: 3 })
    const second = await hub.core.sessions.list(vic, { limit: 3, cursor: first.next ?? '' })
    const found = [...first.items, ...second.items].map((item) => item.sessionId)
    expect([found.length, new Set(found), second.next]).toEqual([4, new Set(ids), null])
    const beta = await hub.core.sessions.list(vic, {
      limit: 10,
      text: 'BETA',
      agentId: agent.agentId,
      backend: 'scripted',
    })
    expect(beta.items.map((item) => item.title)).toEqual(['beta'])
    await expect(hub.core.sessions.list(vic, { limit: 3, cursor: "1' OR 1" })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

async function statusOf(hub: TestHub, headers: Record<string, string>): Promise<number> {
  const { status, close } = await rawUpgrade(hub, headers)
  close()
  return status
}
