/** Rights on sockets of people: nobody rings a doorbell here, the change stands in the database and nowhere else. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub, text } from '../testing/scenario'
import { type StoredPerson, storePerson } from '../testing/stored-person'
import { ben, type TestHub } from '../testing/test-hub'
import type { TestViewer } from '../testing/test-viewer'

describe('a viewer whose rights end in the database', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let person: StoredPerson
  let viewer: TestViewer
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    person = await storePerson(hub, ben, [agent.agentId])
    hub.people.set(ben.userId, person.actor) // the handshake of a test finds people here
    viewer = await hub.viewer(person.actor, person.actor.credential.id)
    hub.people.delete(ben.userId)
    expect(await viewer.ask('watch', watch())).toMatchObject({ ok: true })
    expect(await viewer.ask('watch.inbox', {})).toMatchObject({ ok: true })
    await viewer.until(() => viewer.views.length > 0)
  })
  afterEach(() => hub.stop())

  const watch = () => ({ sessionId, afterSeq: 1, hubEpoch: hub.core.hub.hubEpoch() })
  const gone = () => viewer.until(() => !viewer.socket.connected)

  it.each([
    ['is removed', () => person.remove()],
    ['is disabled', () => person.change({ banned: true })],
    ['has another role', () => person.change({ role: 'approver' })],
    ['lost the machine', () => person.unshare()],
    ['is signed out', () => person.signOut()],
  ])(
    '[AUTH-1.11] [I10] hears nothing of what is stored after the change, and is closed: the person %s',
    async (_what, take) => {
      await agent.emit(sessionId, text('before'))
      await viewer.until(() => viewer.events.length === 1)
      const views = viewer.views.length
      await take()
      await agent.emit(sessionId, text('after'))
      await gone()
      expect(viewer.events.map(({ body }) => JSON.parse(body).text)).toEqual(['before'])
      expect(viewer.views.slice(views).filter(({ head }) => head > 2)).toEqual([])
    },
  )

  it('[AUTH-1.11] asks nothing any more: the frame itself closes the socket', async () => {
    await person.unshare()
    await Promise.race([viewer.ask('block.get', { sessionId, blockId: 'b', from: 0 }).catch(() => {}), gone()])
    await gone()
    expect(agent.questions).toEqual([])
  })

  it('[AUTH-1.8] gets no answer for which a machine took its time', async () => {
    let answer = (_: object) => {}
    agent.questionAnswer = new Promise((resolve) => (answer = resolve))
    const heard = viewer.ask('block.get', { sessionId, blockId: 'b', from: 0 }).catch(() => 'nothing')
    await agent.waiter.until(() => agent.questions.length === 1)
    await person.change({ banned: true })
    answer({ text: 'a secret', from: 0, length: 8 })
    expect(await heard).toBe('nothing')
    expect(viewer.socket.connected).toBe(false)
  })

  it('[AUTH-1] is closed by the clock where nothing else happens', async () => {
    await hub.store.prisma.authSession.updateMany({ data: { expiresAt: new Date(1) } })
    await hub.gateway.sweepLogins()
    await gone()
  })
})
