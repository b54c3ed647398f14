/** A fresh store in a temporary folder, for tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CommandStore } from '../core/ports/command-store'
import type { RequestStore } from '../core/ports/request-store'
import { openStore, type Store, type StoreOptions } from '../store/sqlite'
import type { AtOnce } from '../store/sqlite/file/coded-reads'
import { openReader } from '../store/sqlite/file/connections'
import { createCommandReads } from '../store/sqlite/reads/command-reads'
import { createRequestReads } from '../store/sqlite/reads/request-reads'
import { ShownBodies } from '../store/sqlite/rows/shown-bodies'

export const migrationsDir = path.resolve(import.meta.dirname, '../../../../prisma/migrations/sqlite')

export interface TestStore extends Store {
  /** Answers at once, for what a test waits on. */
  now: { commands: AtOnce<CommandStore>; requests: AtOnce<RequestStore> }
  file: string
  dir: string
  remove(): Promise<void>
}

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const dir = options.file ? path.dirname(options.file) : mkdtempSync(path.join(tmpdir(), 'roundhouse-store-'))
  const file = options.file ?? path.join(dir, 'hub.db')
  const store = await openStore({ migrationsDir, ...options, file })
  const reader = openReader(file)
  const { close } = store
  return Object.assign(store, {
    now: { commands: createCommandReads(reader, new ShownBodies()), requests: createRequestReads(reader) },
    file,
    dir,
    async close() {
      reader.close()
      await close()
    },
    async remove() {
      await this.close()
      rmSync(dir, { recursive: true, force: true })
    },
  })
}
