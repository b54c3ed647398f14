/** Rows with texts that cannot be read, in a person's transaction: what is damaged can still be taken away. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionRow } from '../../testing/store-context'
import { machineRow } from '../../testing/store-rows'
import { changing, inserted } from '../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../testing/test-store'

describe('[STORE-6] a row that is not whole', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
  })
  afterEach(() => store.remove())

  it.each([
    ['status', 'null'],
    ['settings', '{"torn'],
    ['contextUsage', '{"torn'],
    ['projection', '{"torn'],
  ])('of a session, without its %s, can be deleted', async (column, text) => {
    await store.ingest.change({}, changing(inserted(sessionRow('s_1'))))
    await store.prisma.$executeRawUnsafe(`UPDATE Session SET ${column} = '${text}'`)
    await store.transactions.write(async (tx) => {
      const row = await tx.sessions.find('s_1')
      expect(row).toMatchObject({ sessionId: 's_1', agentId: 'box', damaged: true })
      await tx.sessions.delete({ sessionId: 's_1', agentId: 'box', deletedAt: 1, deletedBy: 'ana' })
    })
    expect(await store.reads.sessions.isDeleted('s_1')).toBe(true)
  })

  it('of a machine, without its manifest, can be revoked', async () => {
    await store.transactions.write((tx) => tx.machines.insert(machineRow('box')))
    await store.prisma.$executeRawUnsafe(`UPDATE Agent SET manifest = '{"torn'`)
    await store.transactions.write(async (tx) => {
      expect(await tx.machines.find('box')).toMatchObject({ agentId: 'box', state: 'active', manifest: null })
      await tx.machines.update('box', { state: 'revoked' })
    })
    expect(await store.reads.machines.state('box')).toBe('revoked')
  })
})
