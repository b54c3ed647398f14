import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { hubKey } from '../../core/common/hub-key'
import { makeOlderDatabase } from '../../testing/older-database'
import { openTestStore } from '../../testing/test-store'

const HUB_KEYS = '20261129090000'

it('[CMD-1.3] what an older hub answered to the bus, to chats and to people is answered the same after an upgrade', async ({
  onTestFinished,
}) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'roundhouse-keys-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'hub.db')
  const hash = 'a1'.repeat(20)
  const old = [`bus_${hash}`, 'ch_77_12', 'tree ses_1 4', 'a-key-of-a-person', 'bus_stop_1']
  makeOlderDatabase(file, HUB_KEYS, (db) => {
    const insert = db.prepare(
      'INSERT INTO Idempotency (scope, key, bodyHash, answer, createdAt) VALUES (?, ?, ?, ?, 1000)',
    )
    for (const key of old) insert.run('fay session.create', key, 'h', JSON.stringify(key))
  })
  const store = await openTestStore({ file })
  onTestFinished(() => store.close())
  const answered = (key: string) =>
    store.transactions.write(async (tx) => (await tx.answers.find('fay session.create', key))?.answer)
  const now = [...old, hubKey('bus', hash), hubKey('ch', 77, 12), 'bus stop 1']
  expect(await Promise.all(now.map(answered))).toEqual([...old, old[0], old[1], undefined])
})
