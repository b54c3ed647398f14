/**
 * The hub's database: one SQLite file, opened once. Order of the start: migrations, identity, then the connections. Every
 * write passes the gate (STORE-1); reads have connections of their own.
 */
import { failpoint as failpointOfEnvironment } from '@roundhouse/failpoint'
import type { PrismaClient } from '../../../../prisma/generated/client'
import type { AuditReads } from '../core/ports/audit-ports'
import type { ImageStore } from '../core/ports/image-ports'
import type { FindLogin } from '../core/ports/login-ports'
import type { PeopleReads } from '../core/ports/people-ports'
import type { Eraser, HubRow, IngestTx, IngestWriter, SessionReads, Transactions } from '../core/ports/ports'
import { type Connection, openReader, openWriter } from './file/connections'
import { GroupCommit, type GroupCommitOptions } from './file/group-commit'
import { loadHubIdentity } from './file/hub-identity'
import { migrate } from './file/migrate'
import { StorageKeeper } from './file/storage-keeper'
import { openingError, requireFile, requireTables } from './file/whole-file'
import { WriteGate } from './file/write-gate'
import { createPrismaClients } from './prisma/prisma-clients'
import { createTransactions } from './prisma/prisma-write-tx'
import { createAuditReads } from './reads/audit-reads'
import { coded, codedReads } from './reads/coded-reads'
import { createFindLogin } from './reads/login-reads'
import { createPeopleReads } from './reads/people-reads'
import { createSessionReads } from './reads/session-reads'
import { createEraser } from './writes/eraser'
import { createImageStore } from './writes/image-store'
import { createIngestTx } from './writes/ingest-tx'
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
  failpoint?: GroupCommitOptions<IngestTx>['failpoint']
}

export interface Store {
  hub: HubRow
  /** Gated; give this one to better-auth and to everybody else. */
  prisma: PrismaClient
  transactions: Transactions
  storage: StorageKeeper
  ingest: IngestWriter
  reads: SessionReads
  people: PeopleReads
  auditReads: AuditReads
  eraser: Eraser
  images: ImageStore
  findLogin: FindLogin
  applied: string[]
  close(): Promise<void>
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { file, migrationsDir, now = Date.now, failpoint = failpointOfEnvironment } = options
  requireFile(file)
  const writer = opened(file)
  try {
    requireTables(writer, file)
    const applied = migrate(writer, migrationsDir)
    makeRightsTriggers(writer)
    const hub = loadHubIdentity(writer, { now: now(), file })
    const reader = openReader(file)
    const gate = new WriteGate()
    const storage = new StorageKeeper({ db: writer, gate, file, now })
    const { prisma, reader: prismaReader } = createPrismaClients(file, gate, storage)
    await Promise.all([prisma.$connect(), prismaReader.$connect()])
    const ingest = new GroupCommit<IngestTx>({ db: writer, gate, tx: createIngestTx(writer), storage, failpoint })
    return {
      hub,
      prisma,
      transactions: createTransactions(prisma, storage),
      storage,
      ingest,
      reads: codedReads(createSessionReads(reader)),
      people: codedReads(createPeopleReads(reader)),
      auditReads: codedReads(createAuditReads(reader)),
      images: codedReads(createImageStore(writer, reader, ingest)),
      eraser: createEraser(writer, reader, ingest),
      findLogin: coded(createFindLogin(reader)),
      applied,
      async close() {
        await ingest.drained()
        await gate.run(async () => {
          await Promise.all([prisma.$disconnect(), prismaReader.$disconnect()])
          reader.close()
          writer.close()
        })
      },
    }
  } catch (error) {
    if (writer.open) writer.close()
    throw openingError(file, error)
  }
}

function opened(file: string): Connection {
  try {
    return openWriter(file)
  } catch (error) {
    throw openingError(file, error)
  }
}
