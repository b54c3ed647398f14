/** A fresh store in a temporary folder, for tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openStore, type Store, type StoreOptions } from '../store/sqlite'

export const migrationsDir = path.resolve(import.meta.dirname, '../../../../prisma/migrations/sqlite')

export interface TestStore extends Store {
  file: string
  dir: string
  remove(): Promise<void>
}

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const dir = options.file ? path.dirname(options.file) : mkdtempSync(path.join(tmpdir(), 'roundhouse-store-'))
  const file = options.file ?? path.join(dir, 'hub.db')
  const store = await openStore({ migrationsDir, ...options, file })
  return Object.assign(store, {
    file,
    dir,
    async remove() {
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    },
  })
}
