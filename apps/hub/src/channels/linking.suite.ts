/** Every channel: whose chat it is, and what a chat may do. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ChatHub, type ChatService, type ChatWorld } from '../testing/channels/chat-world'
import { ana } from '../testing/test-hub'
import { refusals } from './words/chat-words'

const kind = 'telegram' as const

export function linkingSuite(newService: () => Promise<ChatService>): void {
  describe('a chat', () => {
    let chats: ChatHub
    let world: ChatWorld
    let service: ChatService
    beforeAll(async () => {
      chats = await ChatHub.start()
    })
    afterAll(() => chats.stop())
    beforeEach(async () => {
      service = await newService()
      world = await chats.newWorld(service)
    })
    afterEach(() => world.stop())

    const audit = async () =>
      (await world.hub.core.auditLog.page(ana, { limit: 10 })).items.map(
        ({ action, actorId, actorName, outcome }) => `${action} ${outcome} ${actorId} (${actorName})`,
      )

    it('[CHAN-2.2] is linked by a code, once', async () => {
      const code = await world.codeOf('fay')
      service.writes('chat', `/start ${code.toLowerCase().replace(/(.{5})/, '$1-')}`)
      await world.until('the welcome', 'chat', ([text]) => text?.startsWith('This chat now acts for fay.') ?? false)
      expect(await world.hub.core.channels.links.own(world.signed('fay').actor, kind)).toMatchObject({
        bot: { name: expect.any(String) },
        link: { name: expect.stringMatching(/^@?chat$/), approvals: false },
      })
      expect((await audit()).slice(0, 2)).toEqual(['channel.link ok fay (fay)', 'channel.code ok fay (fay)'])
      service.writes('other', `/link ${code}`)
      await world.until('the refusal', 'other', (texts) => texts.includes(refusals.wrongCode))
      expect((await world.hub.store.reads.channels.links(kind)).length).toBe(1)
    })

    it.each([
      [1, 'the bot'],
      [2, 'the chats'],
    ])(
      '[CHAN-1.4] is served by one poller after the storage failed in read %i of the links, at the start of %s',
      async (nth) => {
        await world.halt()
        const { channelGate } = world.hub.core
        const { links } = channelGate
        let reads = 0
        channelGate.links = (of) => (++reads === nth ? Promise.reject(new Error('no space')) : links(of))
        const polls = new Set<AbortSignal>()
        const open = service.open.bind(service)
        service.open = async (token, known) => {
          const channel = await open(token, known)
          const updates = channel.updates.bind(channel)
          channel.updates = (from, how, signal) => {
            polls.add(signal)
            return updates(from, how, signal)
          }
          return channel
        }
        try {
          world.run()
          await world.link('fay', 'chat')
          expect([...polls].filter(({ aborted }) => !aborted)).toHaveLength(1)
          expect(world.errors).toEqual([new Error('no space')])
        } finally {
          channelGate.links = links
        }
      },
    )

    it('[CHAN-2.5] of a stranger gets one line and nothing else, and a group one line and no bot', async () => {
      for (const text of ['hello', '/sessions', '/stop']) service.writes('stranger', text)
      service.writesInGroup('stranger', 'hello all')
      await service.until('the bot to leave', () => service.groupsLeft() === 1)
      await world.link('fay', 'chat')
      expect(world.texts('stranger')).toEqual([refusals.stranger])
    })

    it('[CHAN-2.3] may try few codes, and not even the right one after them', async () => {
      const code = await world.codeOf('fay')
      for (let n = 0; n < 5; n += 1) service.writes('guesser', `/link AAAAA${n}${n}${n}${n}${n}`)
      for (let n = 0; n < 9; n += 1) service.writes('guesser', `/link ${code}`)
      await world.until('the end of tries', 'guesser', (texts) => texts.includes(refusals.tooManyCodes))
      expect(world.texts('guesser').filter((text) => text === refusals.wrongCode)).toHaveLength(5)
      await world.link('fay', 'chat')
      expect(world.texts('guesser').filter((text) => text === refusals.tooManyCodes)).toHaveLength(1)
    })

    it('[CHAN-2.4] has one person, and a person one chat', async () => {
      await world.link('fay', 'chat')
      await world.link('fay', 'second')
      service.writes('chat', '/help')
      await world.until('the refusal', 'chat', (texts) => texts.includes(refusals.stranger))
      await world.link('gus', 'second')
      const links = await world.hub.store.reads.channels.links(kind)
      expect(links.map(({ userId }) => userId)).toEqual(['gus'])
      expect(await world.hub.store.prisma.apiToken.count()).toBe(1)
    })

    it.each([
      ['signed out everywhere', (w: ChatWorld) => w.hub.core.people.signOut(ana, 'fay', w.key())],
      ['disabled', (w: ChatWorld) => w.hub.core.people.change(ana, 'fay', { disabled: true })],
      ['made something else', (w: ChatWorld) => w.hub.core.people.change(ana, 'fay', { role: 'viewer' })],
      ['removed', (w: ChatWorld) => w.hub.core.people.remove(ana, 'fay', w.key())],
      [
        'unlinked on the page',
        (w: ChatWorld) => w.hub.core.channels.links.unlink(w.signed('fay').actor, kind, w.key()),
      ],
    ])('[CHAN-3.1] of a person who is %s is a stranger at once', async (_how, end) => {
      await world.link('fay', 'chat')
      const sessionId = await world.inSession('chat')
      await end(world)
      service.writes('chat', 'And then?')
      await world.until('the refusal', 'chat', (texts) => texts.includes(refusals.stranger))
      await world.emit(sessionId, { kind: 'assistant_text', text: 'a secret' })
      await world.link('gus', 'other')
      expect(world.texts('chat').filter((text) => text.includes('secret'))).toEqual([])
      expect(world.agent.commands.filter(({ body }) => body.kind === 'prompt.send')).toEqual([])
    })

    it('[CHAN-3.4] is unlinked by its person', async () => {
      await world.link('fay', 'chat')
      service.writes('chat', '/unlink')
      await world.until('the farewell', 'chat', (texts) => texts.some((text) => text.includes('is disconnected')))
      expect((await audit())[0]).toBe('channel.unlink ok fay (fay (Telegram))')
      expect(await world.hub.store.prisma.apiToken.count()).toBe(0)
    })

    it('[CHAN-3.2] reads and operates; it decides only after its person allowed that', async () => {
      await world.link('fay', 'chat')
      expect(await world.scopes('fay')).toEqual(['read', 'operate'])
      await world.allowApprovals('fay')
      expect(await world.scopes('fay')).toEqual(['read', 'operate', 'decide'])
      await world.hub.core.channels.links.endApprovals(world.signed('fay').actor, kind, world.key())
      expect(await world.scopes('fay')).toEqual(['read', 'operate'])
    })

    it('[CHAN-1.5] is linked no more once its bot is removed, or another one is set', async () => {
      await world.link('fay', 'chat')
      const { bots } = world.hub.core.channels
      await bots.set(ana, kind, service.token, world.key())
      expect((await bots.view(ana, kind)).links).toBe(1)
      expect(await bots.remove(ana, kind, world.key())).toMatchObject({ state: 'off', bot: null, links: 0 })
      await expect(bots.remove(ana, kind, world.key())).rejects.toMatchObject({ code: 'CHANNEL_OFF' })
      await expect(world.codeOf('fay')).rejects.toMatchObject({ code: 'CHANNEL_OFF' })
    })

    it('[CHAN-1.4] of a service that does not answer works again when it does', async () => {
      await world.link('fay', 'chat')
      await service.goDown()
      const state = async () => (await world.hub.core.channels.bots.view(ana, kind)).state
      await expect.poll(state).toBe('unreachable')
      await service.comeBack()
      await expect.poll(state).toBe('connected')
      service.writes('chat', '/help')
      await world.until('an answer', 'chat', (texts) => texts.length === 2)
    })
  })
}
