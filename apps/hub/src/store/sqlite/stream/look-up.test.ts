import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deciding, type WorkingSet } from '../../../core/stream/working-set'
import { sessionRow } from '../../../testing/store-context'
import { machineRow } from '../../../testing/store-rows'
import { changing, inserted } from '../../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../../testing/test-store'

describe('[STORE-6] a row that is damaged', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
    await store.transactions.write(async (tx) => {
      for (const agentId of ['box', 'torn']) await tx.machines.insert(machineRow(agentId))
    })
    await store.ingest.change({}, changing(inserted(sessionRow('s_1')), inserted(sessionRow('s_torn'))))
    await store.prisma.$executeRawUnsafe(`UPDATE Agent SET chains = '[' WHERE agentId = 'torn'`)
    await store.prisma.$executeRawUnsafe(`UPDATE Session SET status = 'null' WHERE sessionId = 's_torn'`)
  })
  afterEach(() => store.remove())

  const keys = { machines: ['torn', 'box'], sessions: ['s_torn', 's_1'].map((sessionId) => ({ sessionId })) }
  const decide = <T>(work: (set: WorkingSet) => T) => store.ingest.change(keys, deciding(work))

  it('is loaded beside others, which a decision finds', async () => {
    const found = await decide((set) => [set.machines.find('box')?.agentId, set.sessions.find('s_1')?.sessionId])
    expect(found).toEqual(['box', 's_1'])
  })

  it('is an error for whoever looks it up, and what they changed before is not written', async () => {
    const damaged = { code: 'STORAGE_DAMAGED' }
    const afterWrite = decide((set) => {
      set.machines.update('box', { connEpoch: 9 })
      return set.machines.find('torn')
    })
    await expect(afterWrite).rejects.toMatchObject(damaged)
    await expect(decide((set) => set.sessions.find('s_torn'))).rejects.toMatchObject(damaged)
    expect(await store.transactions.write((tx) => tx.machines.find('box'))).toMatchObject({ connEpoch: 0 })
  })
})
