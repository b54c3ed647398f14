import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requireBanner } from '../../../../../scripts/lib/setup/bundle.mjs'
import { RowLimit } from '../../core/common/row-limit'
import { ingestBatch } from '../../core/ingest/ingest'
import { keysOfBatch, readBatch } from '../../core/ingest/read-batch'
import { SessionBudget } from '../../core/machines/machine-limits'
import { deciding } from '../../core/stream/working-set'
import { envelope } from '../../testing/fake-agent'
import { text } from '../../testing/scenario'
import { migrationsDir, openTestStore, type TestStore } from '../../testing/test-store'

const source = path.resolve(import.meta.dirname, '../../testing/crash-child.ts')
/** Inside node_modules, so that the child finds the packages that stay outside of it. */
const cache = path.resolve(import.meta.dirname, '../../../../../node_modules/.cache/roundhouse')

let folder = ''
let child = ''
beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(path.join(cache, 'crash-child-'))
  child = path.join(folder, 'crash-child.js')
  await build({
    entryPoints: [source],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', '@prisma/client/runtime/*'],
    banner: requireBanner,
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs to its own SIGKILL; what it had acknowledged until then. */
function runUntilKilled(file: string, failpoint: string): Promise<{ acked: string[]; signal: string | null }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [child, file, migrationsDir, failpoint], (error, stdout) => {
      resolve({ acked: stdout.trim().split('\n'), signal: error?.signal ?? null })
    })
  })
}

describe('a hub that is killed', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
    await store.prisma.agent.create({
      data: {
        agentId: 'agt_1',
        name: 'box',
        state: 'active',
        publicKey: 'key',
        keyFingerprint: 'f',
        createdAt: new Date(1),
        connEpoch: 1,
      },
    })
    await store.close()
  })
  afterEach(() => store.remove())

  const resend = () => {
    const events = [4, 5, 6].map((seq) => envelope(text(`line ${seq}`), seq, 1_000))
    const batch = readBatch({ sessionId: 's_1', logId: 'log_1', events })
    const sender = { agentId: 'agt_1', connEpoch: 1, clockOffsetMs: 0 }
    return store.ingest.change(
      keysOfBatch(sender.agentId, batch, null),
      deciding((set) =>
        ingestBatch(set, sender, batch, {
          stopped: false,
          now: 2_000,
          madeSessions: new SessionBudget(),
          unproven: new RowLimit(1),
          account: null,
        }),
      ),
      3,
    )
  }

  it('[F1] [T20] before the commit has acknowledged nothing of the batch and stored nothing of it', async () => {
    const run = await runUntilKilled(store.file, 'hub.afterInsert')
    expect(run).toEqual({ acked: ['3'], signal: 'SIGKILL' })
    store = await openTestStore({ file: store.file })
    expect((await store.reads.sessions.heads(['s_1'])).get('s_1')?.committed).toBe(3)
    expect(await resend()).toMatchObject({ kind: 'stored', acked: 6, events: [{ seq: 4 }, { seq: 5 }, { seq: 6 }] })
  })

  it('[F2] [I4] [T20] between commit and ack holds the batch; sent again it is counted, not stored twice', async () => {
    const run = await runUntilKilled(store.file, 'hub.afterCommit.beforeAck')
    expect(run).toEqual({ acked: ['3'], signal: 'SIGKILL' })
    store = await openTestStore({ file: store.file })
    expect((await store.reads.sessions.heads(['s_1'])).get('s_1')?.committed).toBe(6)
    expect(await resend()).toMatchObject({ kind: 'stored', acked: 6, events: [] })
    expect(await store.prisma.event.count()).toBe(6)
  })
})
