import { expect, it, vi } from 'vitest'
import type { Actor } from '../access/access'
import type { StorageHealth } from '../ports/storage-port'
import type { Transactions } from '../ports/stores'
import { createWriteAs } from './write-as'

it.each(['full', 'failing'] as const)(
  '[STORE-7] while the disk is %s nothing of a person is begun, however small',
  async (state) => {
    const write = vi.fn()
    const health: StorageHealth = { state, since: 7 }
    const transactions = { write } as unknown as Transactions
    const writeAs = createWriteAs({ transactions, storage: { health: () => health }, now: () => 0 })
    const asked = writeAs({} as Actor, async () => 'done')
    await expect(asked).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', details: { state, since: 7 } })
    expect(write).not.toHaveBeenCalled()
  },
)
