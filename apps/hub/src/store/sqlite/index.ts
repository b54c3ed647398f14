/**
 * The hub's database: one SQLite file, opened once. Order of the start: migrations, identity, then the connections. Every
 * write passes the gate (STORE-1); reads have connections of their own.
 */
import { failpoint as failpointOfEnvironment } from '@roundhouse/failpoint'
import type { PrismaClient } from '../../../../../prisma/generated/client'
import type { DerivedTables } from '../../core/derived'
import type { AppendStore } from '../../core/ports/append-store'
import type { BusStore } from '../../core/ports/bus-store'
import type { HubRow } from '../../core/ports/hub-store'
import type { ImageStore } from '../../core/ports/image-store'
import type { FindLogin } from '../../core/ports/login-store'
import type { WebhookStore } from '../../core/ports/outbound/webhook-store'
import type { Eraser } from '../../core/ports/session-store'
import type { SetupStore } from '../../core/ports/setup-store'
import type { Reads, Transactions } from '../../core/ports/stores'
import type { StreamWriter } from '../../core/ports/stream/stream-writer'
import { createDerivedTables } from './derived'
import { createBusTable } from './derived/bus-table'
import { createWebhookTable } from './derived/webhook-table'
import { coded, codedReads } from './file/coded-reads'
import { type Connection, openWriter } from './file/connections'
import { GroupCommit, type GroupCommitOptions } from './file/group-commit'
import { loadHubIdentity } from './file/hub-identity'
import { migrate } from './file/migrate'
import { StorageKeeper } from './file/storage-keeper'
import { openingError, requireFile, requireTables } from './file/whole-file'
import { WriteGate } from './file/write-gate'
import { createPrismaClients } from './prisma/prisma-clients'
import { createSetupStore } from './prisma/prisma-setup-store'
import { createTransactions } from './prisma/prisma-write-tx'
import { createAppendReads } from './reads/append-reads'
import { createEventReads } from './reads/event-reads'
import { createFindLogin } from './reads/login-reads'
import { openReads } from './reads/reads'
import { createStandingRead } from './reads/standing-reads'
import { createStreamWriter } from './stream/stream-writer'
import { createEraser } from './writes/eraser'
import { createImageStore } from './writes/image-store'
import { makeRightsTriggers } from './writes/rights-triggers'

export { newHubEpoch } from './file/hub-identity'
export { troubleOf } from './file/storage-error'
export { openingError } from './file/whole-file'
export { openAuditReads } from './reads/audit-reads'
export { type FolderReads, readFolder } from './reads/folder-reads'

export interface StoreOptions {
  file: string
  migrationsDir: string
  now?: () => number
  /** Told of each statement that pages and steps read, for tests. */
  onStatement?: (sql: string) => void
  /** Told of each statement of the event stream, and of whatever else the writing connection does, for tests. */
  onWritten?: (sql: string) => void
  failpoint?: GroupCommitOptions['failpoint']
}

interface Outgoing {
  webhooks: WebhookStore
}

export interface Store extends Outgoing {
  hub: HubRow
  /** Gated; give this one to better-auth and to everybody else. */
  prisma: PrismaClient
  transactions: Transactions
  setup: SetupStore
  storage: StorageKeeper
  ingest: StreamWriter
  reads: Reads
  appends: AppendStore
  derived: DerivedTables
  bus: BusStore
  eraser: Eraser
  images: ImageStore
  findLogin: FindLogin
  applied: string[]
  close(): Promise<void>
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { file, migrationsDir, now = Date.now, failpoint = failpointOfEnvironment } = options
  requireFile(file)
  const writer = opened(file, options.onWritten)
  try {
    requireTables(writer, file)
    const applied = migrate(writer, migrationsDir)
    makeRightsTriggers(writer)
    const hub = loadHubIdentity(writer, { now: now(), file })
    const { reads, reader, close: closeReads } = openReads({ file, onStatement: options.onStatement })
    const gate = new WriteGate()
    const storage = new StorageKeeper({ db: writer, gate, file, now })
    const { prisma, reader: prismaReader } = createPrismaClients(file, gate, storage)
    const commits = new GroupCommit({ db: writer, gate, storage, failpoint })
    return {
      hub,
      prisma,
      transactions: createTransactions(prisma, storage),
      setup: createSetupStore(prisma, reader),
      storage,
      ingest: createStreamWriter(writer, commits),
      reads,
      appends: codedReads(createAppendReads(reader, createEventReads(reader))),
      derived: createDerivedTables(reader),
      bus: createBusTable({ writer, reader, commits, standing: createStandingRead(writer) }),
      webhooks: createWebhookTable({ writer, reader, commits }),
      images: createImageStore(writer, reader, commits),
      eraser: createEraser(writer, reader, commits),
      findLogin: coded(createFindLogin(reader)),
      applied,
      async close() {
        await commits.drained()
        await gate.run(async () => {
          await Promise.all([prisma.$disconnect(), prismaReader.$disconnect()])
          closeReads()
          writer.close()
        })
      },
    }
  } catch (error) {
    if (writer.open) writer.close()
    throw openingError(file, error)
  }
}

function opened(file: string, onWritten: StoreOptions['onWritten']): Connection {
  try {
    return openWriter(file, onWritten)
  } catch (error) {
    throw openingError(file, error)
  }
}
