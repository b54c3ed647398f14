import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestStore, type TestStore } from '../../../testing/test-store'
import { transactionOf } from '../prisma/prisma-write-tx'

describe('[STORE-2.3] what is made from transcripts, in a table of its own,', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
  })
  afterEach(() => store.remove())

  /** Any table: none is made from transcripts yet. */
  const write = (fails: boolean) =>
    store.transactions.write(async (tx) => {
      const copy = { ...tx }
      await transactionOf(copy).retiredKey.create({ data: { publicKey: 'k', agentId: 'box', retiredAt: new Date(1) } })
      await tx.followers.move('words', { position: 3, seq: 1 })
      if (fails) throw new Error('no space')
    })
  const stored = async () => [await store.prisma.retiredKey.count(), (await store.appends.cursor('words')).position]

  it('is stored with the cursor of its follower, or not at all', async () => {
    await expect(write(true)).rejects.toThrow('no space')
    expect(await stored()).toEqual([0, 0])
    await write(false)
    expect(await stored()).toEqual([1, 3])
  })
})
