/** Every store: all that was stored, in append order, and cursors in it. */
import { describe, expect, it } from 'vitest'
import type { AppendCursor, AppendEntry } from '../core/ports/append-store'
import type { StoreContext } from '../testing/store-context'

const BEGIN: AppendCursor = { position: 0, seq: 0 }
const LOT = { maxEvents: 1_000, maxBytes: 1e9 }
const textOf = (entry: AppendEntry) =>
  entry.kind === 'events'
    ? `${entry.sessionId} ${entry.events.map(({ seq }) => seq).join(' ')}`
    : `${entry.kind} ${entry.sessionId}`

export function appendsSuite(context: StoreContext): void {
  /** Lot after lot until nothing more is there. */
  async function all(limit = LOT, kinds: ReadonlySet<string> | null = null, from = BEGIN) {
    const entries: string[] = []
    let cursor = from
    for (let lots = 1; ; lots += 1) {
      const lot = await context.store.appends.after(cursor, limit, kinds)
      entries.push(...lot.entries.map(textOf))
      cursor = lot.cursor
      if (lot.isEnd) return { entries, cursor, lots }
    }
  }

  describe('what was stored', () => {
    it('[STORE-2.3] is read in the order in which it was, over all sessions', async () => {
      await context.addSession('s_1')
      await context.addSession('s_2')
      await context.addEvents('s_2', 1, 2)
      await context.addEvents('s_1', 1, 1)
      await context.addEvents('s_2', 3, 1)
      const { entries, cursor } = await all()
      expect(entries).toEqual(['s_2 1 2', 's_1 1', 's_2 3'])
      await context.addEvents('s_1', 2, 1)
      await context.reopen()
      expect((await all(LOT, null, cursor)).entries).toEqual(['s_1 2'])
    })

    it('comes in lots, of which one may end within a batch, and each brings the reader on', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 5, 'x'.repeat(100))
      await context.addEvents('s_1', 6, 1)
      expect((await all({ maxEvents: 2, maxBytes: 1e9 })).entries).toEqual(['s_1 1 2', 's_1 3 4', 's_1 5', 's_1 6'])
      expect((await all({ maxEvents: 100, maxBytes: 200 })).entries).toEqual(['s_1 1 2', 's_1 3 4', 's_1 5', 's_1 6'])
    })

    it('of some kinds alone leaves out the others, and brings the reader past them', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 3)
      const { entries, cursor } = await all(LOT, new Set(['permission_resolved']))
      expect([entries, (await all(LOT, null, cursor)).entries]).toEqual([[], []])
      expect((await all(LOT, new Set(['assistant_text']))).entries).toEqual(['s_1 1 2 3'])
    })

    it('[STORE-2.4] tells of a deleted session behind its events, which are gone from then on', async () => {
      await context.addSession('s_1')
      await context.addSession('s_2')
      await context.addEvents('s_1', 1, 2)
      const { cursor } = await all()
      const tombstone = { sessionId: 's_1', agentId: 'box', deletedAt: 1, deletedBy: 'ana' }
      await context.write((tx) => tx.sessions.delete(tombstone))
      await context.addEvents('s_2', 1, 1)
      expect((await all(LOT, null, cursor)).entries).toEqual(['erased s_1', 's_2 1'])
      expect((await all()).entries).toEqual(['erased s_1', 's_2 1'])
    })

    it('that a batch wrote before it threw is not there', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 2)
      await expect(context.addEvents('s_1', 2, 1)).rejects.toMatchObject({ code: 'STORAGE_DAMAGED' })
      expect((await all()).entries).toEqual(['s_1 1 2'])
      expect(await context.store.appends.newest()).toBe(1)
    })
  })

  it('a cursor stands where the transaction that moved it left it, for each name apart', async () => {
    const { appends } = context.store
    expect(await appends.cursor('search')).toEqual(BEGIN)
    await context.write((tx) => tx.followers.move('search', { position: 3, seq: 7 }))
    await context.write((tx) => tx.followers.move('search', { position: 4, seq: 1 }))
    const failing = context.write(async (tx) => {
      await tx.followers.move('search', { position: 9, seq: 9 })
      throw new Error('a bug')
    })
    await expect(failing).rejects.toThrow('a bug')
    await context.reopen()
    expect(await context.store.appends.cursor('search')).toEqual({ position: 4, seq: 1 })
    expect(await context.store.appends.cursor('usage')).toEqual(BEGIN)
  })
}
