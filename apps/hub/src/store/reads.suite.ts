/** Every store: reads of several statements that see one state. */
import { describe, expect, it } from 'vitest'
import type { Reads } from '../core/ports/stores'
import type { StoreContext } from '../testing/store-context'

const titleOf = async (reads: Reads, sessionId: string) => (await reads.sessions.find(sessionId))?.title

export function readsSuite(context: StoreContext): void {
  const rename = (title: string) => context.write((tx) => tx.sessions.organise('s_1', { title }))

  describe('[VIEW-1.1] a read of several statements', () => {
    it('sees one state although a write commits between them, and a read outside sees that write at once', async () => {
      await context.addSession('s_1', { title: 'before' })
      const seen = await context.reads.inOneRead(async (reads) => {
        const first = await titleOf(reads, 's_1')
        await rename('after')
        await context.addSession('s_2')
        const outside = [await titleOf(context.reads, 's_1'), await titleOf(context.reads, 's_2')]
        return { first, outside, again: await titleOf(reads, 's_1'), other: await reads.sessions.find('s_2') }
      })
      expect(seen).toEqual({ first: 'before', outside: ['after', ''], again: 'before', other: undefined })
      expect(await titleOf(context.reads, 's_1')).toBe('after')
    })

    it('sees what was written before it began, however many are open', async () => {
      await context.addSession('s_1', { title: '0' })
      const open: Array<() => void> = []
      const seen: Array<Promise<Array<string | undefined>>> = []
      for (let n = 0; n < 3; n += 1) {
        await rename(`${n}`)
        const begun = new Promise<void>((resolve) => {
          seen.push(
            context.reads.inOneRead(async (reads) => {
              const first = await titleOf(reads, 's_1')
              await new Promise<void>((go) => {
                open.push(go)
                resolve()
              })
              return [first, await titleOf(reads, 's_1')]
            }),
          )
        })
        await begun
      }
      for (const go of open) go()
      expect(await Promise.all(seen)).toEqual([
        ['0', '0'],
        ['1', '1'],
        ['2', '2'],
      ])
    })

    it('inside of another one sees the same', async () => {
      await context.addSession('s_1', { title: 'before' })
      const seen = await context.reads.inOneRead(async (reads) => {
        await titleOf(reads, 's_1')
        await rename('after')
        return reads.inOneRead((inner) => titleOf(inner, 's_1'))
      })
      expect(seen).toBe('before')
    })

    it('that fails is told to who asked, and the next one sees the newest state', async () => {
      await context.addSession('s_1', { title: 'before' })
      const failing = context.reads.inOneRead(async (reads) => {
        await titleOf(reads, 's_1')
        throw new Error('a bug')
      })
      await expect(failing).rejects.toThrow('a bug')
      await rename('after')
      expect(await context.reads.inOneRead((reads) => titleOf(reads, 's_1'))).toBe('after')
    })

    it('reads nothing any more once it is over', async () => {
      await context.addSession('s_1')
      const kept = await context.reads.inOneRead(async (reads) => reads)
      await expect(kept.sessions.find('s_1')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    })
  })

  describe('what is read of many at once', () => {
    it('heads are found by session, without those that are not there', async () => {
      await context.addSession('s_1', { committed: 3 })
      await context.addSession('s_2')
      const heads = await context.reads.sessions.heads(['s_1', 'nobody'])
      expect(heads).toEqual(new Map([['s_1', { agentId: 'box', committed: 3 }]]))
    })

    it('[LINK-2] of a session that is reported, what is here, that it was deleted, or nothing', async () => {
      const here = await context.addSession('s_1')
      await context.addSession('s_2')
      await context.addSession('s_3', { committed: 7 }) // and no event
      const tombstone = { sessionId: 's_2', agentId: 'box', deletedAt: 1, deletedBy: 'ana' }
      await context.write((tx) => tx.sessions.delete(tombstone))
      const kept = await context.reads.sessions.kept(['s_1', 's_2', 's_3', 'nobody'])
      expect(Object.fromEntries(kept)).toEqual({
        s_1: { state: 'here', row: here },
        s_2: { state: 'deleted' },
        s_3: { state: 'damaged', cause: expect.anything() },
        nobody: { state: 'unknown' },
      })
    })
  })
}
