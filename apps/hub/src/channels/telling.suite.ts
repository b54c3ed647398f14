/** Every channel: what a chat sends to a session, and what it is told of it. */
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ChatHub, type ChatService, type ChatWorld } from '../testing/channels/chat-world'
import { hostState, text } from '../testing/scenario'
import { ana } from '../testing/test-hub'

export function tellingSuite(newService: () => Promise<ChatService>): void {
  describe('a chat in a session', () => {
    let chats: ChatHub
    let world: ChatWorld
    let service: ChatService
    let sessionId: string
    beforeAll(async () => {
      chats = await ChatHub.start()
    })
    afterAll(() => chats.stop())
    beforeEach(async () => {
      service = await newService()
      world = await chats.newWorld(service)
      await world.link('fay', 'chat')
      sessionId = await world.inSession('chat')
    })
    afterEach(() => world.stop())

    const bodies = () => world.agent.commands.slice(1).map(({ body }) => body)
    /** What came after the session was chosen. */
    const told = () => world.texts('chat').slice(3)
    const untilTold = (what: string, test: (texts: string[]) => boolean) =>
      world.until(what, 'chat', () => test(told()))

    it('[CHAN-4.3] prompts as its person, by the name of the channel, and is not told what it said itself', async () => {
      service.writes('chat', 'Run the tests.')
      await world.agent.waiter.until(() => bodies().length === 1)
      expect(world.agent.commands.at(-1)).toMatchObject({
        sessionId,
        author: { userId: 'fay', name: 'fay (Telegram)' },
        body: { kind: 'prompt.send', text: 'Run the tests.' },
      })
      const [command] = world.agent.commands.slice(-1)
      const said = (more: object) =>
        ({ kind: 'user_message', promptId: 'p', text: 'Run the tests.', ...more }) as SessionEvent
      const { promptId = '' } = command?.body.kind === 'prompt.send' ? command.body : {}
      await world.emit(
        sessionId,
        said({ promptId, commandId: command?.commandId }),
        said({ text: 'From the page.' }),
        text('ok'),
      )
      await untilTold('the answer', (texts) => texts.includes('ok'))
      expect(told()).toEqual(['Somebody wrote:\nFrom the page.', 'ok'])
      const { items } = await world.hub.core.auditLog.page(ana, { limit: 1, action: 'prompt' })
      expect(items[0]).toMatchObject({ actorId: 'fay', actorName: 'fay (Telegram)', object: sessionId })
    })

    it('[CMD-1.5] prompts whatever keys its person used', async () => {
      const { actor } = world.signed('fay')
      const bot = await world.hub.store.reads.channels.bot('telegram')
      const keyOf = (nth: number) => `ch_${bot?.botId}_${(bot?.nextUpdate ?? 0) + nth}`
      await world.hub.core.sessions.prompt(actor, sessionId, { promptId: 'own', text: 'My own.' }, keyOf(0))
      service.writes('chat', 'From the chat.')
      const prompts = () => bodies().flatMap((body) => (body.kind === 'prompt.send' ? [body.text] : []))
      await world.agent.waiter.until(() => prompts().length > 1)
      expect(prompts()).toEqual(['My own.', 'From the chat.'])
    })

    it('[CHAN-5.1] is told in order what is said, and nothing of what only pages show', async () => {
      await world.emit(
        sessionId,
        { kind: 'turn_started', turnId: 't1', trigger: 'prompt' },
        { kind: 'thinking', text: 'hm' },
        text('one'),
        { kind: 'tool_use', callId: 'c1', toolName: 'Bash', input: {} },
        { kind: 'assistant_text', text: 'of a helper', parentCallId: 'c1' },
        text('two'),
        { kind: 'turn_completed', turnId: 't1', reason: 'failed', error: { code: 'BACKEND_QUOTA', message: 'Quota.' } },
        { kind: 'process_exited', procId: 'p1', code: 1, signal: null, stderrTail: '', cause: 'crashed' },
      )
      await untilTold('the end', (texts) => texts.length === 4)
      expect(told()).toEqual(['one', 'two', 'The turn failed. Quota.', 'The program ended unexpectedly.'])
    })

    it('[CHAN-5.4] sees an answer grow in one message, and what does not fit in the next ones', async () => {
      const words = Array.from({ length: 1_200 }, (_, n) => `word${n}`).join(' ')
      const frame = (from: number, to: number) => ({
        sessionId,
        procId: 'p1',
        blockId: 'b1',
        kind: 'assistant_text' as const,
        afterSeq: 1,
        offset: from,
        text: words.slice(from, to),
        turnId: 't1',
      })
      await world.emit(sessionId, { kind: 'turn_started', turnId: 't1', trigger: 'prompt' })
      await world.agent.state(hostState(sessionId, { turnId: 't1', atSeq: 2 }))
      await world.agent.live([frame(0, 200)])
      await untilTold('the beginning', ([first]) => first === words.slice(0, 200).trimEnd())
      await world.agent.live([frame(200, 6_000)])
      await untilTold('more', (texts) => texts.join(' ').length > 3_000)
      await world.emit(sessionId, { kind: 'assistant_text', text: words, blockId: 'b1', turnId: 't1' }, text('Done.'))
      await untilTold('the end', (texts) => texts.includes('Done.'))
      expect(told().slice(0, -1).join(' ')).toBe(words)
      expect(Math.max(...told().map(({ length }) => length))).toBeLessThanOrEqual(service.longest)
      expect(service.seen('chat')[3]?.edits).toBeGreaterThan(0)
    })

    it('[CHAN-5.5] is told the text as it stands, whatever it looks like', async () => {
      const odd = '<b>*bold*</b> [a](http://x.example) `code` &amp; \u202Eabc'
      await world.emit(sessionId, text(odd), text('\u0000\u0007 \n'), text('end'))
      await untilTold('the end', (texts) => texts.includes('end'))
      expect(told()).toEqual([odd, 'end'])
    })

    it('[CHAN-5.1] loses and doubles nothing in an outage in which it went on, and the hub started anew', async () => {
      await world.emit(sessionId, text('before'))
      await untilTold('the first', (texts) => texts.includes('before'))
      await service.goDown()
      const said = Array.from({ length: 12 }, (_, n) => `line ${n}`)
      for (const one of said.slice(0, 6)) await world.emit(sessionId, text(one))
      await world.halt()
      world.run()
      for (const one of said.slice(6)) await world.emit(sessionId, text(one))
      await service.comeBack()
      await untilTold('the last', (texts) => texts.includes('line 11'))
      expect(told()).toEqual(['before', ...said])
    })

    it('[CHAN-5.3] gets a message once whose answer got lost', async () => {
      service.loseAnswer()
      await world.emit(sessionId, text('first'), text('second'))
      await untilTold('the second', (texts) => texts.includes('second'))
      expect(told()).toEqual(['first', 'second'])
    })

    it('[CHAN-5.6] waits as long as the service asks, and goes on where it was', async () => {
      service.limit(2)
      const before = world.now
      await world.emit(sessionId, text('first'), text('second'))
      await untilTold('the second', (texts) => texts.includes('second'))
      expect(told()).toEqual(['first', 'second'])
      expect(service.limited()).toBe(2)
      expect(world.now - before).toBeGreaterThanOrEqual(14_000)
    })

    it('[CHAN-5.8] whose person may not read it any more is told so, and nothing else', async () => {
      await world.hub.core.people.change(ana, 'fay', { agents: [] })
      await world.emit(sessionId, text('a secret'))
      await untilTold('the end', (texts) => texts.some((one) => one.includes('not there any more')))
      await world.emit(sessionId, text('another secret'))
      service.writes('chat', 'And then?')
      await untilTold('the question', (texts) => texts.length === 2)
      expect(told()[1]).toContain('Choose a session first')
    })

    it('stops what runs, and starts a session like one that its person started', async () => {
      service.writes('chat', '/stop')
      await untilTold('that nothing runs', (texts) => texts.includes('Nothing runs there now.'))
      await world.emit(sessionId, { kind: 'turn_started', turnId: 't1', trigger: 'prompt' })
      service.writes('chat', '/stop')
      await world.agent.waiter.until(() => bodies().some(({ kind }) => kind === 'turn.interrupt'))
      const { agentId } = world.agent
      const like = { agentId, settings: { backend: 'scripted', workDir: '/code/demo' } }
      await world.hub.core.sessions.create(world.signed('fay').actor, like, world.key())
      service.writes('chat', '/new')
      await world.untilShown('the places', 'chat', ({ buttons }) => buttons.includes('scripted in /code/demo on tower'))
      await service.presses('chat', 'scripted in /code/demo on tower')
      service.writes('chat', 'Build it.')
      await world.agent.waiter.until(() =>
        world.agent.commands.some(({ body }) => body.kind === 'session.create' && body.prompt?.text === 'Build it.'),
      )
      const started = world.agent.commands.at(-1)
      expect(started).toMatchObject({ author: { userId: 'fay' }, body: { settings: like.settings } })
      await expect
        .poll(async () => (await world.hub.store.reads.channels.linkOfPerson('telegram', 'fay'))?.sessionId)
        .toBe(started?.sessionId)
    })
  })
}
