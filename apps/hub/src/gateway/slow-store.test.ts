// What people see, and what machines get, while the store takes its time: a test decides when each read answers.
import type { LiveFrame } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { ask, hostState, liveHub, requested, resolved, text, texts } from '../testing/scenario'
import { SlowReads } from '../testing/slow-reads'
import { ana, ben, type TestHub } from '../testing/test-hub'
import type { TestViewer } from '../testing/test-viewer'

describe('with a slow store', () => {
  let slow: SlowReads
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    slow = new SlowReads()
    ;({ hub, agent, sessionId } = await liveHub({ slow }))
  })
  afterEach(() => hub.stop())

  const watch = (viewer: TestViewer, afterSeq = 1) =>
    viewer.ask('watch', { sessionId, afterSeq, hubEpoch: hub.core.hub.hubEpoch() })
  const isRising = (numbers: readonly number[]) => numbers.every((one, i) => i === 0 || one > (numbers[i - 1] ?? 0))
  const frame = (offset: number, words: string): LiveFrame => ({
    sessionId,
    procId: 'p1',
    blockId: 'b1',
    kind: 'assistant_text',
    afterSeq: 1,
    offset,
    text: words,
  })

  describe('[VIEW-1.3] a page that joined', () => {
    it('loses no batch that is stored behind its read, and hears it after what was read', async () => {
      await agent.emit(sessionId, ...texts(2))
      const viewer = await hub.viewer()
      slow.hold('events.after')
      const reply = watch(viewer)
      await slow.waiting('events.after')
      await agent.emit(sessionId, ...texts(2))
      slow.letGo('events.after')
      expect(await reply).toMatchObject({ ok: true, head: 3, tooFar: false })
      await viewer.until(() => viewer.events.length === 4)
      await agent.emit(sessionId, text('new'))
      await viewer.until(() => viewer.events.length === 5)
      expect(viewer.seqs()).toEqual([2, 3, 4, 5, 6])
    })

    it('hears no batch twice that is stored between its join and its read', async () => {
      const other = await hub.viewer()
      await watch(other)
      const viewer = await hub.viewer()
      slow.hold('inOneRead')
      const reply = watch(viewer)
      await slow.waiting('inOneRead')
      await agent.emit(sessionId, ...texts(2))
      await other.until(() => other.events.length === 2)
      slow.letGo('inOneRead')
      expect(await reply).toMatchObject({ ok: true, head: 3, tooFar: false })
      await agent.emit(sessionId, text('new'))
      await viewer.until(() => viewer.seqs().includes(4))
      expect([viewer.seqs(), other.seqs()]).toEqual([
        [2, 3, 4],
        [2, 3, 4],
      ])
    })

    it('has live text whole that is written while it is read to', async () => {
      await agent.live([frame(0, 'one ')])
      const viewer = await hub.viewer()
      slow.hold('events.after')
      const reply = watch(viewer)
      await slow.waiting('events.after')
      await agent.live([frame(4, 'two ')])
      slow.letGo('events.after')
      await reply
      await agent.live([frame(8, 'three')])
      await viewer.until(() => viewer.live.at(-1)?.text.endsWith('three') === true)
      expect(viewer.live.map(({ offset, text: words }) => [offset, words])).toEqual([
        [0, 'one two '],
        [8, 'three'],
      ])
    })

    it('is told that it is too far where more comes than a socket may have waiting', async () => {
      const viewer = await hub.viewer()
      slow.hold('events.after')
      const reply = watch(viewer)
      await slow.waiting('events.after')
      for (let batch = 0; batch < 20; batch += 1) await agent.emit(sessionId, text('x'.repeat(60_000)))
      slow.letGo('events.after')
      expect(await reply).toMatchObject({ ok: true, tooFar: true })
      await agent.emit(sessionId, text('unheard'))
      await viewer.ask('watch.inbox', {})
      expect([viewer.events, viewer.views]).toEqual([[], []])
    })

    it('hears nothing where it left before it was read to', async () => {
      const viewer = await hub.viewer()
      slow.hold('events.after')
      const reply = watch(viewer)
      await slow.waiting('events.after')
      await viewer.ask('unwatch', { sessionId })
      slow.letGo('events.after')
      await reply
      await agent.emit(sessionId, text('unheard'))
      await viewer.ask('watch.inbox', {})
      expect([viewer.events, viewer.views]).toEqual([[], []])
    })

    it('[AUTH-1] hears nothing where its rights end while it is read to', async () => {
      const viewer = await hub.viewer()
      slow.hold('events.after')
      const reply = watch(viewer, 0).catch(() => null)
      await slow.waiting('events.after')
      hub.endedLogins.add(ana.userId)
      hub.people.delete(ana.userId)
      await hub.store.prisma.$executeRawUnsafe('UPDATE HubState SET rightsVersion = rightsVersion + 1')
      slow.letGo('events.after')
      await viewer.until(() => !viewer.socket.connected)
      await reply
      expect([viewer.events, viewer.views]).toEqual([[], []])
    })
  })

  describe('[SES-5] views', () => {
    it('of a page that is read to slowly never follow a newer one', async () => {
      const viewer = await hub.viewer()
      slow.hold('requests.shown')
      const reply = watch(viewer)
      await slow.waiting('requests.shown')
      await agent.emit(sessionId, requested('r1'))
      await slow.waiting('requests.shown', 2)
      slow.letGo('requests.shown', 1) // the newer one first
      slow.letGo('requests.shown')
      await reply
      await viewer.until(() => viewer.views.at(-1)?.requests.length === 1)
      expect(isRising(viewer.views.map(({ rev }) => rev))).toBe(true)
    })

    it('that are composed slowly never come to a page that has a newer one', async () => {
      const other = await hub.viewer()
      await watch(other)
      const before = other.views.length
      slow.hold('requests.shown')
      await agent.emit(sessionId, requested('r1'))
      await slow.waiting('requests.shown')
      await agent.emit(sessionId, requested('r2'))
      const viewer = await hub.viewer()
      const reply = watch(viewer)
      await slow.waiting('requests.shown', 2)
      slow.letGo('requests.shown', 1) // of the page
      slow.letGo('requests.shown')
      await reply
      await other.until(() => other.views.length > before + 1)
      await agent.emit(sessionId, requested('r3'))
      await viewer.until(() => viewer.views.at(-1)?.requests.length === 3)
      const shown = viewer.views.map(({ requests }) => requests.length)
      expect(shown).toEqual([...shown].sort())
      expect(shown[0]).toBe(2)
      for (const page of [viewer, other]) expect(isRising(page.views.map(({ rev }) => rev))).toBe(true)
    })
  })

  it('[VIEW-7] an inbox that is joined while a step of it is not said yet misses none', async () => {
    const first = await hub.viewer()
    await first.ask('watch.inbox', {})
    slow.hold('sessions.heads')
    await agent.emit(sessionId, requested('r1'))
    await slow.waiting('sessions.heads')
    const viewer = await hub.viewer()
    const reply = (await viewer.ask('watch.inbox', {})) as { rev?: number }
    slow.letGo('sessions.heads')
    await first.until(() => first.inbox.length > 0)
    const said = first.inbox.at(-1)?.rev ?? 0
    expect(reply.rev).toBeGreaterThanOrEqual(said)
    await agent.emit(sessionId, requested('r2'))
    await viewer.until(() => viewer.inbox.some(({ rev }) => rev > said))
    expect(isRising(first.inbox.map(({ rev }) => rev))).toBe(true)
  })

  it('[CMD-2] two looks for one command send it once', async () => {
    slow.hold('commands.dueOfSession')
    const made = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p_once', text: 'once' }, hub.key())
    await slow.waiting('commands.dueOfSession')
    await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p_twice', text: 'twice' }, hub.key())
    slow.letGo('commands.dueOfSession')
    const sent = () => agent.commands.filter(({ body }) => body.kind === 'prompt.send')
    await agent.waiter.until(() => sent().length === 2)
    await hub.core.tick()
    expect(sent().filter(({ commandId }) => commandId === made.commandId)).toHaveLength(1)
  })

  it('[LOG-5] live text of a session that is looked up keeps its order', async () => {
    await agent.emit(sessionId, { kind: 'turn_started', turnId: 't1', trigger: 'prompt' })
    slow.hold('sessions.find')
    const sent = Promise.all([frame(0, 'a'), frame(1, 'b'), frame(2, 'c')].map((one) => agent.live([one])))
    await agent.emit(sessionId, text('behind them on the socket'))
    await slow.waiting('sessions.find')
    while (slow.count('sessions.find') > 1) slow.letGo('sessions.find', 1)
    slow.letGo('sessions.find')
    await sent
    const snapshot = await hub.core.sessions.snapshot(ana, sessionId)
    expect(snapshot.openBlocks).toMatchObject([{ blockId: 'b1', text: 'abc' }])
  })

  it('[LINK-5] an account is merged with what was stored while its session was looked up', async () => {
    await agent.emit(sessionId, requested('r1'))
    slow.hold('sessions.find')
    const told = agent.state(hostState(sessionId, { atSeq: 2, requests: [ask('r1')], status: { status: 'needs_you' } }))
    await slow.waiting('sessions.find')
    await agent.emit(sessionId, resolved('r1', 'expired'))
    slow.letGo('sessions.find')
    await told
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.requests.filter(({ outcome }) => outcome === 'open')).toEqual([])
    expect(session.status).not.toMatchObject({ status: 'needs_you' })
  })

  it('[AUTH-1] [PERM-1] a decision is judged where it is written: nobody decides of a machine that they cannot reach', async () => {
    const elsewhere = { ...ben, agents: new Set<string>() }
    hub.people.set(ben.userId, elsewhere)
    slow.hold('requests.find')
    const request = { decision: 'allow', digest: 'digest-r1' } as const
    const decided = hub.core.permissions.decide(elsewhere, 'r1', request, hub.key()).catch(({ code }) => code)
    await Promise.race([slow.waiting('requests.find'), decided])
    await agent.emit(sessionId, requested('r1'))
    slow.letGo('requests.find')
    expect(await decided).toBe('NOT_FOUND')
    expect(await hub.store.prisma.command.count({ where: { kind: 'permission.decide' } })).toBe(0)
    await expect(hub.core.permissions.decide(elsewhere, 'r1', request, hub.key())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})
