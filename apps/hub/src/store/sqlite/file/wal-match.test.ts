/** A WAL is copied while the store is open, as a process that is killed leaves it. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newSessionRow } from '../../../core/ingest/session-row'
import { changing, inserted } from '../../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../../testing/test-store'
import { requireOwnWal } from './wal-match'

let store: TestStore
let folder: string
beforeEach(async () => {
  store = await openTestStore()
  folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-wal-'))
})
afterEach(async () => {
  await store.remove()
  rmSync(folder, { recursive: true })
})

let made = 0
async function write(count = 1): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    made += 1
    const row = newSessionRow({ sessionId: `s_${made}`, agentId: 'agt_1', now: made, title: 'a title '.repeat(60) })
    await store.ingest.change({}, changing(inserted(row)))
  }
}

function take(part: '' | '-wal', name: string): string {
  const to = path.join(folder, `${name}${part}`)
  if (existsSync(`${store.file}${part}`)) copyFileSync(`${store.file}${part}`, to)
  return path.join(folder, name)
}

const crashed = (name: string) => {
  take('', name)
  return take('-wal', name)
}

describe('[STORE-6] the file of the hub and the WAL beside it', () => {
  it('belong together at whatever moment the hub was killed', async () => {
    for (const step of ['new', 'written', 'moved', 'quiet', 'written more', 'moved again', 'grown']) {
      if (step.startsWith('written')) await write(3)
      if (step.startsWith('moved')) await store.storage.checkpoint()
      if (step === 'grown') await write(400) // SQLite itself begins the WAL anew meanwhile
      expect(() => requireOwnWal(crashed(step.replace(' ', '-')))).not.toThrow()
    }
  })

  it('are told apart when the file was put back: that the WAL began anew once is enough', async () => {
    await write()
    await store.storage.checkpoint()
    take('', 'old')
    await write()
    await store.storage.checkpoint()
    await write()
    const mixed = take('-wal', 'old')
    expect(() => requireOwnWal(mixed)).toThrow(/is older than .*old-wal.*Move .*old-wal and .*old-shm away/)
  })

  it('are no matter where there is no WAL, or nothing was written since', async () => {
    await write()
    await store.storage.checkpoint()
    expect(() => requireOwnWal(take('', 'alone'))).not.toThrow()
    expect(() => requireOwnWal(path.join(folder, 'missing'))).not.toThrow()
    await store.storage.checkpoint()
    await store.storage.checkpoint()
    expect(() => requireOwnWal(crashed('quiet'))).not.toThrow()
  })
})
