import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeOlderDatabase } from '../../testing/older-database'
import { openTestStore } from '../../testing/test-store'

const FIRST_IMAGES = '20261125105617'

it('[IMG-1] [IMG-3] images of a hub that knew none of new sessions keep their session, their sender and their bytes', async ({
  onTestFinished,
}) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'roundhouse-images-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'hub.db')
  const image = {
    sessionId: 'ses_1',
    userId: 'u_ana',
    mediaType: 'image/png',
    bytes: 3,
    createdAt: 1_000,
  }
  const rows = [
    { ...image, imageId: 'img_sent', sha256: 'a'.repeat(64), usedAt: 2_000 },
    { ...image, imageId: 'img_waits', sha256: 'b'.repeat(64), usedAt: null },
  ]
  makeOlderDatabase(file, FIRST_IMAGES, (db) => {
    db.exec(`INSERT INTO Session (pk, sessionId, agentId, createdAt, title, projection, settings, backend, workDir, status, updatedAt)
       VALUES (7, 'ses_1', 'box', 1000, '', '', '{}', '', '', '{}', 1000)`)
    const insert = db.prepare(
      `INSERT INTO Image (imageId, sessionPk, sessionId, userId, mediaType, bytes, sha256, createdAt, usedAt)
       VALUES (@imageId, 7, @sessionId, @userId, @mediaType, @bytes, @sha256, @createdAt, @usedAt)`,
    )
    const part = db.prepare('INSERT INTO ImagePart (imageId, part, createdAt, data) VALUES (?, 0, 1000, ?)')
    for (const row of rows) {
      insert.run(row)
      part.run(row.imageId, Buffer.from(row.imageId))
    }
  })

  const store = await openTestStore({ file })
  onTestFinished(() => store.close())
  expect(await Promise.all(rows.map(({ imageId }) => store.images.find(imageId)))).toEqual(rows)
  const textOf = async (imageId: string) => Buffer.from((await store.images.chunk(imageId, 0)) ?? []).toString()
  expect(await Promise.all(rows.map(({ imageId }) => textOf(imageId)))).toEqual(['img_sent', 'img_waits'])
  expect(await store.images.held('ses_1', 'u_ana')).toEqual({ ofSession: 6, unused: 3, unusedCount: 1 })
  const fresh = { ...image, imageId: 'img_new', sha256: 'c'.repeat(64), sessionId: null, usedAt: null }
  await store.transactions.write((tx) => tx.images.insert({ ...fresh, mediaType: 'image/png' }))
  expect(await store.images.find('img_new')).toEqual(fresh)
  await store.images.forgetUnused(1_500)
  const idOf = async (imageId: string) => (await store.images.find(imageId))?.imageId
  expect(await Promise.all(['img_sent', 'img_waits', 'img_new'].map(idOf))).toEqual(['img_sent', undefined, undefined])
})
