import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newSessionRow } from '../../core/ingest/session-row'
import { envelope } from '../../testing/fake-agent'
import { makeOlderDatabase } from '../../testing/older-database'
import { text } from '../../testing/scenario'
import { appended, changing } from '../../testing/stream-steps'
import { openTestStore } from '../../testing/test-store'
import { writeSession } from './rows/session-rows'

const APPENDS = '20261126182543'

it('[STORE-2.2] what an older hub stored is read session after session, the oldest first, and then what is new', async ({
  onTestFinished,
}) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'roundhouse-appends-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = path.join(dir, 'hub.db')
  makeOlderDatabase(file, APPENDS, (db) => {
    for (const [sessionId, createdAt, committed] of [
      ['s_young', 9, 2],
      ['s_empty', 5, 0],
      ['s_old', 1, 3],
    ] as const) {
      const row = { ...newSessionRow({ sessionId, agentId: 'box', now: createdAt }), committed }
      const { lastInsertRowid: pk } = db
        .prepare(
          `INSERT INTO Session (sessionId, agentId, createdAt, title, committed, projection, settings, backend, workDir, status, updatedAt)
           VALUES (@sessionId, @agentId, @createdAt, @title, @committed, @projection, @settings, @backend, @workDir, @status, @updatedAt)`,
        )
        .run({ ...row, ...writeSession(row), archived: 0, blocked: 0, turnFailed: 0 })
      for (let seq = 1; seq <= committed; seq += 1) {
        const { kind, v, at, hash, body } = envelope(text('x'), seq)
        db.prepare(
          'INSERT INTO Event (sessionPk, seq, kind, v, at, storedAt, hash, body) VALUES (?,?,?,?,?,?,?,?)',
        ).run(pk, seq, kind, v, at, at, Buffer.from(hash, 'hex'), body)
      }
    }
  })

  const store = await openTestStore({ file })
  onTestFinished(() => store.close())
  await store.ingest.change({}, changing(appended('s_empty', 1, 1)))
  for (const kinds of [null, new Set(['assistant_text', 'permission_resolved'])]) {
    const { entries } = await store.appends.after({ position: 0, seq: 0 }, { maxEvents: 100, maxBytes: 1e9 }, kinds)
    expect(
      entries.map((entry) => entry.kind === 'events' && [entry.sessionId, entry.events.map(({ seq }) => seq)]),
    ).toEqual([
      ['s_old', [1, 2, 3]],
      ['s_young', [1, 2]],
      ['s_empty', [1]],
    ])
  }
})
