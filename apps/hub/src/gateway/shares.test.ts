/** What is shared with a person, machine by machine: everything else is not there, on REST and on sockets alike. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../core'
import type { FakeAgent } from '../testing/fake-agent'
import { liveSession, requested, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

describe('a person with whom one of two machines was shared', () => {
  let hub: TestHub
  let mine: FakeAgent
  let other: FakeAgent
  let seen: string
  let hidden: string
  let oli: Actor
  beforeEach(async () => {
    hub = await TestHub.start()
    mine = await hub.connectedAgent('mine')
    other = await hub.connectedAgent('other')
    seen = await liveSession(hub, mine)
    hidden = await liveSession(hub, other)
    const credential = { kind: 'login', id: 'u_oli-1' } as const
    oli = { userId: 'u_oli', name: 'Oli', role: 'operator', agents: new Set([mine.agentId]), credential }
    hub.people.set(oli.userId, oli)
  })
  afterEach(() => hub.stop())

  const forbidden = { code: 'FORBIDDEN' }
  const watch = (sessionId: string) => ({ sessionId, afterSeq: 0, hubEpoch: hub.core.hub.hubEpoch() })

  it('[T78] sees its sessions and requests in lists and in the inbox, and no others', async () => {
    await other.emit(hidden, requested('req_hidden'))
    await mine.emit(seen, requested('req_seen'))
    const { sessions, inbox, agents } = hub.core
    expect((await sessions.list(oli, { limit: 50 })).items.map(({ sessionId }) => sessionId)).toEqual([seen])
    const found = await inbox.get(oli)
    expect(found.requests.map(({ ask }) => ask.requestId)).toEqual(['req_seen'])
    expect(found.running.map(({ sessionId }) => sessionId)).toEqual([seen])
    expect((await agents.list(oli)).items.map(({ name }) => name)).toEqual(['mine'])
    expect((await inbox.get(ana)).requests).toHaveLength(2)
  })

  it('[T78] may do nothing at all to what is not theirs', async () => {
    await other.emit(hidden, requested('req_hidden'))
    const { sessions, permissions, agents } = hub.core
    const settings = { backend: 'scripted', workDir: '/code/demo' }
    const key = hub.key
    const attempts = [
      () => sessions.snapshot(oli, hidden),
      () => sessions.events(oli, hidden, { after: 0, limit: 10 }),
      () => sessions.prompt(oli, hidden, { promptId: 'p', text: 'x' }, key()),
      () => sessions.stop(oli, hidden, key()),
      () => sessions.remove(oli, hidden, key()),
      () => sessions.rename(oli, hidden, { title: 'x' }),
      () => sessions.create(oli, { agentId: other.agentId, settings }, key()),
      () => permissions.decide(oli, 'req_hidden', { decision: 'allow', digest: 'digest-req_hidden' }, key()),
      () => agents.get(oli, other.agentId),
      () => agents.folders(oli, other.agentId),
      () => sessions.commands(oli, hidden),
      () => sessions.files(oli, hidden, ''),
      () => sessions.query(oli, hidden, { method: 'accountInfo' }, key()),
      () => sessions.query(oli, hidden, { method: 'setModel', args: ['x'] }, key()),
      () => sessions.query(oli, hidden, { method: 'rewindFiles', args: ['p'] }, key()),
    ]
    for (const attempt of attempts) await expect((async () => attempt())()).rejects.toMatchObject(forbidden)
    expect(other.questions).toEqual([])
    expect(other.commands.filter(({ body }) => body.kind !== 'session.create')).toEqual([])
  })

  it('[T78] joins no room of it, and hears nothing of it', async () => {
    const viewer = await hub.viewer(oli)
    expect(await viewer.ask('watch', watch(hidden))).toMatchObject({ ok: false, error: forbidden })
    expect(await viewer.ask('block.get', { sessionId: hidden, blockId: 'b', from: 0 })).toMatchObject({
      error: forbidden,
    })
    await viewer.ask('watch.inbox', {})
    expect(await viewer.ask('watch', watch(seen))).toMatchObject({ ok: true })
    const { rev } = await hub.core.inbox.get(oli)
    await other.emit(hidden, text('a secret'), requested('req_hidden'))
    await mine.emit(seen, text('for you'), requested('req_seen'))
    await viewer.until(() => viewer.inbox.length > 0 && viewer.events.length > 0)
    const now = await hub.core.inbox.get(oli)
    expect(now.rev).toBe(rev + 2)
    expect(viewer.inbox).toEqual([{ rev: now.rev }]) // the step of the other machine was not told
    const heard = JSON.stringify([viewer.events, now])
    expect(heard).toContain('req_seen')
    for (const foreign of [hidden, other.agentId, 'a secret', 'req_hidden']) expect(heard).not.toContain(foreign)
  })

  it('[A22] [I10] loses the live transcript when the share is taken back', async () => {
    const viewer = await hub.viewer(oli)
    await viewer.ask('watch', watch(seen))
    hub.people.set(oli.userId, { ...oli, agents: new Set() })
    hub.core.doorbells.ring('person', { userId: oli.userId })
    await viewer.until(() => !viewer.socket.connected)
    await mine.emit(seen, text('not for you any more'))
    const again = await hub.viewer({ ...oli, agents: new Set() }, 'u_oli-2')
    expect(await again.ask('watch', watch(seen))).toMatchObject({ ok: false, error: forbidden })
    expect(JSON.stringify(viewer.events)).not.toContain('any more')
  })

  it('[A22] [T77] [I10] loses a socket that was just opening when the share is taken back', async () => {
    let readings = 0
    const stale = hub.people
    stale.get = (userId) => {
      const actor = Map.prototype.get.call(stale, userId)
      readings += userId === oli.userId ? 1 : 0
      // The handshake and the namespace still read the share; the ring finds no socket to close.
      if (readings === 2) {
        stale.set(oli.userId, { ...oli, agents: new Set() })
        hub.core.doorbells.ring('person', { userId: oli.userId })
      }
      return actor
    }
    const viewer = await hub.viewer(oli)
    await viewer.until(() => !viewer.socket.connected)
    expect(viewer.events).toEqual([])
  })
})
