/** Every store: the bots of chat channels, the chats that are linked, and what is on its way into them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { cardRow, linkRow } from '../testing/channels/channel-rows'
import type { StoreContext } from '../testing/store-context'

export function channelsSuite(context: StoreContext): void {
  describe('chat channels', () => {
    const kind = 'telegram' as const
    const reads = () => context.reads.channels
    /** A link stands on a token. */
    const addLink = (linkId: string, change: Parameters<typeof linkRow>[1] = {}) =>
      context.write(async (tx) => {
        const row = linkRow(linkId, change)
        const { tokenId, userId } = row
        const token = {
          tokenId,
          userId,
          secretHash: 'h',
          name: 'Telegram',
          scopes: ['read'] as const,
          lastUsedAt: null,
        }
        await tx.apiTokens.insert({ ...token, createdAt: 1, expiresAt: 9 })
        await tx.channels.insertLink(row)
      })

    it('[CHAN-1] have one bot each, whose updates move forward only', async () => {
      expect(await reads().bot(kind)).toBeUndefined()
      const bot = { kind, token: 'sealed', botId: '7', name: 'bot', setAt: 5, nextUpdate: 0 }
      await context.write((tx) => tx.channels.putBot(bot))
      const move = (botId: string, next: number) =>
        context.write((tx) => tx.channels.moveUpdates({ kind, botId }, next))
      expect([await move('7', 3_000_000_000), await move('7', 5), await move('8', 9_000_000_000)]).toEqual([
        true,
        false,
        false,
      ])
      await context.reopen()
      expect(await reads().bot(kind)).toEqual({ ...bot, nextUpdate: 3_000_000_000 })
      expect(await context.write((tx) => tx.channels.bot(kind))).toEqual(await reads().bot(kind))
      await context.write((tx) => tx.channels.putBot({ ...bot, botId: '8' }))
      expect(await reads().bot(kind)).toMatchObject({ botId: '8', nextUpdate: 0 })
      const remove = () => context.write((tx) => tx.channels.removeBot(kind))
      expect([await remove(), await remove(), await reads().bot(kind)]).toEqual([true, false, undefined])
    })

    it('[CHAN-2.2] keep one code of a person, which is taken once and in time', async () => {
      const put = (userId: string, codeHash: string) =>
        context.write((tx) => tx.channels.putCode({ kind, userId, codeHash, expiresAt: 10 }))
      const take = (codeHash: string, now: number) => context.write((tx) => tx.channels.takeCode(kind, codeHash, now))
      await put('fay', 'old')
      await put('fay', 'new')
      await put('gus', 'other')
      expect([await take('old', 1), await take('new', 9), await take('new', 9)]).toEqual([null, 'fay', null])
      expect([await take('other', 10), await take('other', 9)]).toEqual([null, null])
      await put('fay', 'third')
      expect(await context.write((tx) => tx.channels.removeCodes(kind))).toBe(1)
    })

    it('find a link by its chat and by its person, and keep where it is in the log', async () => {
      await addLink('l_2', { linkedAt: 2 })
      await addLink('l_1', { chatId: '42', userId: 'fay' })
      const moved = {
        sessionId: 's_1',
        seq: 9_007_199_254_740_991,
        part: 2,
        blockId: 'b_1',
        openMessage: '17',
        lastMessage: '18',
        sending: { what: 'part', part: 2, blockId: 'b_1', sessionId: 's_1', seq: 7, mark: '18' },
      } as const
      expect(await context.write((tx) => tx.channels.changeLink('l_1', moved))).toBe(true)
      await context.reopen()
      const link = linkRow('l_1', { chatId: '42', userId: 'fay', ...moved })
      expect(await reads().linkOfChat(kind, '42')).toEqual(link)
      expect([await reads().linkOfPerson(kind, 'fay'), await reads().link('l_1')]).toEqual([link, link])
      expect((await reads().links(kind)).map(({ linkId }) => linkId)).toEqual(['l_1', 'l_2'])
      expect(await context.write((tx) => tx.channels.linksOf(kind, { userId: 'fay' }))).toEqual([link])
      expect(await context.write((tx) => tx.channels.linksOf(kind, {}))).toHaveLength(2)
    })

    it('[CHAN-5.2] move a link only from where it is', async () => {
      await addLink('l_1', { sessionId: 's_1', seq: 4 })
      const move = (sessionId: string | null, seq: number) =>
        context.write((tx) => tx.channels.changeLink('l_1', { part: 1 }, { sessionId, seq }))
      expect([await move('s_1', 3), await move(null, 4), await move('s_1', 4)]).toEqual([false, false, true])
      const touch = (linkId: string) => context.write((tx) => tx.channels.changeLink(linkId, {}))
      expect([await touch('l_1'), await touch('l_none')]).toEqual([true, false])
    })

    describe('of a link', () => {
      beforeEach(() => addLink('l_1'))

      it('keep answers in order until they are there', async () => {
        const buttons = [[{ label: 'Allow', data: 'a:1' }]]
        for (const text of ['first', 'second'])
          await context.write((tx) => tx.channels.addReply('l_1', { text, buttons }))
        const first = await reads().nextReply('l_1')
        expect(first).toMatchObject({ body: { text: 'first', buttons } })
        await context.write((tx) => tx.channels.removeReply(first?.n ?? 0))
        await context.reopen()
        expect(await reads().nextReply('l_1')).toMatchObject({ body: { text: 'second' } })
        expect(await reads().nextReply('l_none')).toBeUndefined()
      })

      it('[CHAN-6.4] keep a request once, by its reference, until long after its end was told', async () => {
        const add = (ref: string, requestId: string, createdAt = 1) =>
          context.write((tx) => tx.channels.addCard(cardRow(ref, 'l_1', { requestId, createdAt })))
        await add('ref_2', 'r_2', 2)
        await add('ref_1', 'r_1')
        await add('ref_3', 'r_1')
        const refs = async () => (await reads().openCards('l_1')).map(({ ref }) => ref)
        expect([await refs(), await reads().card('ref_3')]).toEqual([['ref_1', 'ref_2'], undefined])
        await context.write((tx) => tx.channels.changeCard('ref_1', { messageId: '5', closedAt: 8 }))
        expect(await refs()).toEqual(['ref_2'])
        const closed = cardRow('ref_1', 'l_1', { requestId: 'r_1', messageId: '5', closedAt: 8 })
        expect(await reads().card('ref_1')).toEqual(closed)
        await context.write((tx) => tx.channels.forgetCards(8))
        expect(await reads().card('ref_1')).toEqual(closed)
        await context.write((tx) => tx.channels.forgetCards(9))
        expect([await reads().card('ref_1'), await refs()]).toEqual([undefined, ['ref_2']])
      })

      it('[CHAN-3.1] lose everything with the token, which is no token of a program', async () => {
        await context.write((tx) => tx.channels.addReply('l_1', { text: 'x' }))
        await context.write((tx) => tx.channels.addCard(cardRow('ref_1', 'l_1')))
        const { userId } = linkRow('l_1')
        const before = await context.reads.hub.rightsVersion()
        expect(await context.reads.apiTokens.ofPerson(userId)).toEqual([])
        await context.write((tx) => tx.apiTokens.setScopes('token of l_1', ['read', 'decide']))
        expect(await context.write((tx) => tx.apiTokens.deleteAll(userId))).toBe(1)
        expect(await context.reads.hub.rightsVersion()).toBe(before + 2)
        expect([await reads().link('l_1'), await reads().nextReply('l_1'), await reads().card('ref_1')]).toEqual([
          undefined,
          undefined,
          undefined,
        ])
      })
    })

    it('name the newest session that a person started of each machine, program and folder', async () => {
      const add = (sessionId: string, updatedAt: number, change: object = {}) =>
        context.addSession(sessionId, { createdBy: 'fay', backend: 'claude', workDir: '/code', updatedAt, ...change })
      await add('s_1', 1)
      await add('s_2', 2)
      await add('s_3', 3, { workDir: '/other' })
      await add('s_4', 4, { createdBy: 'gus' })
      await add('s_5', 5, { backend: '' })
      await add('s_6', 6, { agentId: 'attic' })
      const started = await reads().startedBy('fay', 10)
      expect(started.map(({ sessionId }) => sessionId)).toEqual(['s_6', 's_3', 's_2'])
      expect(started[2]).toEqual({ sessionId: 's_2', agentId: 'box', backend: 'claude', workDir: '/code' })
      expect(await reads().startedBy('fay', 1)).toHaveLength(1)
    })
  })
}
