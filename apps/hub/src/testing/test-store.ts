/** A fresh store in a temporary folder, for tests. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CommandStore } from '../core/ports/command-store'
import type { RequestStore } from '../core/ports/request-store'
import { openStore, type Store, type StoreOptions } from '../store/sqlite'
import type { AtOnce } from '../store/sqlite/file/coded-reads'
import { openReader, openWriter } from '../store/sqlite/file/connections'
import { migrate } from '../store/sqlite/file/migrate'
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

const newFolder = (): string => mkdtempSync(path.join(tmpdir(), 'roundhouse-store-'))

let migrated = ''

/** A file that all migrations ran in, made once for all tests of a process: they take longer than most of its tests. */
function migratedFile(): string {
  if (migrated) return migrated
  const dir = newFolder()
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'hub.db')
  const writer = openWriter(file)
  migrate(writer, migrationsDir)
  writer.close()
  migrated = file
  return file
}

/** Without a file and migrations of its own, it is a store right after its first start. */
export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const dir = options.file ? path.dirname(options.file) : newFolder()
  const file = options.file ?? path.join(dir, 'hub.db')
  if (!options.file && !options.migrationsDir) copyFileSync(migratedFile(), file)
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
