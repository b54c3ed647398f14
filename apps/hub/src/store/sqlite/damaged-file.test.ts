/** Pages of the hub's file, torn one after the other: what is read answers, or says that the place is damaged; nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reads } from '../../core'
import { newSessionRow } from '../../core/ingest/session-row'
import { changing, inserted } from '../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../testing/test-store'
import { openReader } from './file/connections'
import { openReads } from './reads/reads'

const sessions = ['s_a', 's_b', 's_c', 's_d']
const EVENTS = 16

let store: TestStore
let whole: Buffer
/** Pages of tables that hold rows, and pages of their indexes. */
let pages: Array<{ page: number; shared: boolean }>
beforeAll(async () => {
  store = await openTestStore()
  for (const sessionId of sessions) {
    const row = newSessionRow({ sessionId, agentId: 'agt_1', now: 1, title: `${sessionId} `.repeat(200) })
    const events = Array.from({ length: EVENTS }, (_, index) => {
      const seq = index + 1
      const body = JSON.stringify({ kind: 'assistant_text', text: `${sessionId} ${'words '.repeat(300)}` })
      const hash = createHash('sha256').update(body).digest('hex')
      return { event: { seq, kind: 'assistant_text', v: 1, at: seq, storedAt: seq, hash, body }, agentAt: seq }
    })
    const change = changing(inserted({ ...row, committed: EVENTS }), { op: 'events.append', sessionId, events })
    await store.ingest.change({}, change)
  }
  await store.close()
  whole = readFileSync(store.file)
  const db = openReader(store.file)
  pages = db
    .prepare<[], { name: string; page: number; pagetype: string }>(
      `SELECT name, pageno - 1 AS page, pagetype FROM dbstat
       WHERE pageno NOT IN (SELECT rootpage FROM sqlite_schema)
       AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN ('Session', 'Event'))`,
    )
    .all()
    .map(({ name, page, pagetype }) => ({
      page,
      shared: pagetype === 'internal' || !['Session', 'Event'].includes(name),
    }))
  db.close()
})
afterAll(() => store.remove().catch(() => {}))

/** What a viewer gets: dense, from 1 to the head. */
function isDense(events: Array<{ seq: number; to?: number | undefined }>): boolean {
  let next = 1
  for (const { seq, to } of events) {
    if (seq !== next) return false
    next = (to ?? seq) + 1
  }
  return next === EVENTS + 1
}

const all = { maxEvents: 1_000, maxBytes: 1e9 }

/** The code, or what must never be seen. */
async function attempt<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    return error instanceof CodedError && error.code === 'STORAGE_DAMAGED' ? error.code : `raw: ${String(error)}`
  }
}

/** What a page asks of one session: whole, marked, or the reason. */
async function transcriptOf(reads: Reads, sessionId: string): Promise<string> {
  await reads.sessions.find(sessionId)
  const upwards = await reads.inOneRead((one) => one.events.after(sessionId, 0, all))
  const latest = await reads.inOneRead((one) => one.events.before(sessionId, 1e9, all))
  if (!isDense(upwards) || !isDense(latest)) return 'holes'
  return upwards.every(({ kind }) => kind === 'assistant_text') ? 'whole' : 'marked'
}

async function lookAt(file: string): Promise<{ said: string[]; listed: number | string; heads: number | string }> {
  const { reads, close } = openReads({ file })
  try {
    return {
      said: await Promise.all(sessions.map((sessionId) => attempt(() => transcriptOf(reads, sessionId)))),
      listed: await attempt(async () => (await reads.sessions.list({ limit: 10 })).rows.length),
      heads: await attempt(async () => (await reads.sessions.heads(sessions)).size),
    }
  } finally {
    close()
  }
}

function torn(page: number, at: number): Buffer {
  const bytes = Buffer.from(whole)
  const size = bytes.readUInt16BE(16)
  for (let i = at; i < at + 512; i += 1) bytes[page * size + i] = (i * 37 + page * 11) % 256
  return bytes
}

describe('a page that is torn', () => {
  it.each([0, 512, 2_048])(
    '[STORE-6] at %i is felt by whose rows it holds: transcripts stay dense and lists answer',
    async (at) => {
      const file = path.join(store.dir, 'torn.db')
      expect(pages.filter(({ shared }) => !shared).length).toBeGreaterThan(20)
      const wrong: string[] = []
      for (const { page, shared } of pages) {
        writeFileSync(file, torn(page, at))
        const { said, listed, heads } = await lookAt(file)
        const hurt = said.filter((one) => one !== 'whole')
        const isFine = hurt.every((one) => one === 'marked' || one === 'STORAGE_DAMAGED') && Number(listed) >= 3
        if (!shared && Number(heads) < sessions.length - 1) wrong.push(`page ${page}: heads of ${heads}`)
        if (!isFine || !(shared || hurt.length <= 1)) wrong.push(`page ${page}: ${said}, ${listed} listed`)
      }
      expect(wrong).toEqual([])
    },
  )

  it('[STORE-6] of the names of sessions is told: nobody concludes that there is no such session', async () => {
    const file = path.join(store.dir, 'torn.db')
    writeFileSync(file, whole)
    const db = openReader(file)
    const names = "SELECT rootpage - 1 FROM sqlite_schema WHERE name = 'Session_sessionId_key'"
    const page = Number(db.prepare(names).pluck().get())
    db.close()
    writeFileSync(file, torn(page, 0))
    const { reads, close } = openReads({ file })
    const found = await Promise.all(
      sessions.map((sessionId) =>
        attempt(async () => (await reads.sessions.find(sessionId))?.sessionId ?? 'there is none'),
      ),
    )
    close()
    expect(found).toEqual(sessions.map(() => 'STORAGE_DAMAGED'))
  })
})
