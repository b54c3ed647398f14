/** Every channel: permission requests in a chat. */
import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ChatHub, type ChatService, type ChatWorld } from '../testing/channels/chat-world'
import { requested, resolved } from '../testing/scenario'
import { ana } from '../testing/test-hub'

const buttons = ['Allow', 'Deny']
let made = 0

export function decidingSuite(newService: () => Promise<ChatService>): void {
  describe('a permission request in a chat', () => {
    let chats: ChatHub
    let world: ChatWorld
    let service: ChatService
    let sessionId: string
    /** The ids of its requests, which no other test has. */
    let [r1, r2, r3] = ['', '', '']
    beforeAll(async () => {
      chats = await ChatHub.start()
    })
    afterAll(() => chats.stop())
    beforeEach(async () => {
      made += 1
      ;[r1, r2, r3] = [`r${made}-1`, `r${made}-2`, `r${made}-3`]
      service = await newService()
      world = await chats.newWorld(service)
      await world.link('fay', 'chat')
      await world.allowApprovals('fay')
      sessionId = await world.inSession('chat')
    })
    afterEach(() => world.stop())

    const request = (requestId: string) => world.hub.store.now.requests.find(requestId)
    const last = (chat = 'chat') => service.seen(chat).at(-1)
    const decisions = () => world.agent.commands.filter(({ body }) => body.kind === 'permission.decide')
    const untilLast = (what: string, words: string, chat = 'chat') =>
      world.until(what, chat, (texts) => texts.at(-1)?.includes(words) ?? false)
    /** It came, with buttons or without. */
    const ask = async (requestId: string, change: Partial<PermissionAsk> = {}) => {
      await world.emit(sessionId, requested(requestId, change))
      await world.until(
        `${requestId} to be shown`,
        'chat',
        (texts) => texts.at(-1)?.includes('Permission to use') ?? false,
      )
    }

    it('[CHAN-6.1] shows the whole action, and is decided by a button, as its person and from this channel', async () => {
      await ask(r1, { input: { command: 'rm -rf "a b"\necho done' } })
      expect(last()).toEqual({
        text: 'Permission to use Bash:\n\n"command": "rm -rf \\"a b\\"\\necho done"\nin "/code/demo"',
        buttons,
        edits: 0,
      })
      expect(await service.presses('chat', 'Allow')).toBe('Allowed.')
      await untilLast('the outcome', 'Allowed by fay (Telegram).')
      expect(last()?.buttons).toEqual([])
      await world.agent.waiter.until(() => decisions().length === 1)
      expect(decisions()[0]).toMatchObject({
        author: { userId: 'fay', name: 'fay (Telegram)' },
        body: { requestId: r1, decision: 'allow', digest: `digest-${r1}` },
      })
      const { items } = await world.hub.core.auditLog.page(ana, { limit: 1, action: 'permission' })
      expect(items[0]).toMatchObject({ actorId: 'fay', actorName: 'fay (Telegram)', action: 'permission.decide' })
      expect(JSON.parse(items[0]?.detail ?? '')).toMatchObject({ decision: 'allow', digest: `digest-${r1}` })
    })

    it('[CHAN-6.2] has no buttons where the chat cannot show all of it', async () => {
      const odd: Partial<PermissionAsk>[] = [
        { input: { cut: true }, inputCut: true },
        { redactedSpans: 1 },
        { filesPinned: false },
        { input: { command: 'echo \u202Ehs.x' } },
        { input: { command: 'rm p\u0430th' } },
        { input: { command: 'x'.repeat(5_000) } },
        { input: 'ls' },
        { cwd: '/code/d\u200Bemo' },
        { form: { fields: [], message: 'Which one?' } },
        { plan: { text: 'first this' } } as Partial<PermissionAsk>,
        { changes: [{ path: 'a.ts', was: 'file' }] },
        { shape: { kind: 'write', path: 'file_path', text: 'content' } },
        { notes: ['The name may mean another file.'] },
      ]
      for (const [n, change] of odd.entries()) {
        await world.emit(sessionId, requested(`${r1}-${n}`, change))
        await world.until(`request ${n}`, 'chat', (texts) => texts.length === 4 + n)
        expect(last()).toMatchObject({
          buttons: [],
          text: expect.stringContaining(`on the page:\nhttps://hub.example/sessions/${sessionId}`),
        })
      }
    })

    it('[CHAN-3.2] has no buttons until its person turns approvals on, and none after they turn them off', async () => {
      const { links } = world.hub.core.channels
      await links.endApprovals(world.signed('fay').actor, 'telegram', world.key())
      await ask(r1)
      expect(last()?.buttons).toEqual([])
      await world.allowApprovals('fay')
      await world.untilShown('the buttons', 'chat', (message) => message.buttons.length === 2)
      await world.halt() // nothing takes the buttons away
      await links.endApprovals(world.signed('fay').actor, 'telegram', world.key())
      const pressed = service.presses('chat', 'Allow')
      world.run()
      expect(await pressed).toContain('This chat may not decide that.')
      expect(request(r1)?.decision).toBeNull()
      const { items } = await world.hub.core.auditLog.page(ana, { limit: 1, action: 'permission' })
      expect(items[0]).toMatchObject({ actorId: 'fay', outcome: 'refused' })
    })

    it('[CHAN-6.5] [CHAN-6.6] is decided by whoever is first, and says who that was', async () => {
      await ask(r1)
      const shown = last()
      await world.hub.core.permissions.decide(
        ana,
        r1,
        { decision: 'deny', digest: `digest-${r1}` },
        world.key(),
        'Firefox',
      )
      await untilLast('the outcome', 'Denied by Ana (Firefox).')
      expect(shown?.buttons).toEqual(buttons)
      expect(last()?.buttons).toEqual([])
      await world.emit(sessionId, resolved(r1, 'refused'))
      await untilLast('the end', 'Denied by Ana (Firefox). The machine refused it.')
    })

    it('[CHAN-6.7] is decided once, however often a button is pressed', async () => {
      await ask(r1)
      await world.halt()
      const answers = [
        service.presses('chat', 'Deny'),
        service.presses('chat', 'Deny'),
        service.presses('chat', 'Allow'),
      ]
      world.run()
      const [first, second, third] = await Promise.all(answers)
      expect(first).toBe('Denied.')
      expect([second, third]).toEqual(Array(2).fill('Nothing was changed. Denied by fay (Telegram).'))
      expect(request(r1)?.decision).toBe('deny')
      await world.agent.waiter.until(() => decisions().length === 1)
    })

    it('[CHAN-6.7] that is over says so to whoever presses its old button', async () => {
      await ask(r1)
      await world.halt()
      await world.emit(sessionId, resolved(r1, 'withdrawn'))
      const pressed = service.presses('chat', 'Allow')
      world.run()
      expect(await pressed).toBe('Nothing was changed. The program took it back.')
      await untilLast('the end', 'The program took it back.')
      expect(last()?.buttons).toEqual([])
    })

    it('[CHAN-6.4] is not decided by a button of another chat', async () => {
      await world.link('gus', 'other')
      await world.allowApprovals('gus')
      await ask(r1)
      expect(await service.pressesOf('other', 'chat', 'Allow')).toBe('This button belongs to another chat.')
      expect(await service.pressesOf('stranger', 'chat', 'Allow')).toContain('This bot talks only to people')
      expect(request(r1)?.decision).toBeNull()
    })

    it('[CHAN-6.5] is not decided by a person who lost the machine meanwhile', async () => {
      await ask(r1)
      await world.halt()
      await world.hub.core.people.change(ana, 'fay', { agents: [] })
      const pressed = service.presses('chat', 'Allow')
      world.run()
      expect(await pressed).toContain('may not decide that')
      expect(request(r1)?.decision).toBeNull()
    })

    it('[CHAN-6.3] that was open when the chat came to its session is shown, and comes once after an outage', async () => {
      const other = await world.inSession('chat', 'Another one')
      await world.emit(sessionId, requested(r1))
      await service.goDown()
      await world.emit(other, requested(r2), requested(r3), resolved(r3, 'expired'))
      await service.comeBack()
      await untilLast('the closed one', 'It expired.')
      expect(service.seen('chat').filter(({ text }) => text.includes('Permission'))).toHaveLength(2)
      const labels = service.seen('chat').flatMap((message) => message.buttons)
      await service.presses('chat', labels.find((label) => label.startsWith('Fix')) ?? '')
      await world.until(
        'the open one',
        'chat',
        (texts) => texts.filter((text) => text.includes('Permission')).length === 3,
      )
      expect(last()?.buttons).toEqual(buttons)
    })

    it('[CHAN-5.3] comes once where the answer of the service got lost', async () => {
      service.loseAnswer()
      await ask(r1)
      await world.emit(sessionId, { kind: 'assistant_text', text: 'after it' })
      await untilLast('what follows', 'after it')
      expect(service.seen('chat').filter(({ text }) => text.includes('Permission'))).toHaveLength(1)
      await service.presses('chat', 'Deny')
      await world.untilShown('the outcome', 'chat', ({ text }) => text.includes('Denied by fay'))
    })
  })
}
