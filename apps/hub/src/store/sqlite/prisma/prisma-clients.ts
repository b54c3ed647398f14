/**
 * Two Prisma clients on one file. The writing client passes every write and every `$transaction` through the gate and
 * hands its reads outside a transaction to the reading client, which never sees what is not committed (STORE-1).
 * Each connects at its first query, because compiling the schema takes 40 ms of a core and a start needs neither.
 */
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaClient } from '../../../../../../prisma/generated/client'
import { pragmaScript, readerPragmas, requirePragmas, writerPragmas } from '../file/pragmas'
import { toStorageError } from '../file/storage-error'
import type { WriteGuard } from '../file/storage-keeper'
import type { WriteGate } from '../file/write-gate'

type Pragmas = typeof writerPragmas | typeof readerPragmas
type Reads = Record<string, Record<string, (args: unknown) => Promise<unknown>>>

const readOperations = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
])

export interface PrismaClients {
  /** Gated. This is the client for everybody, better-auth too. */
  prisma: PrismaClient
  reader: PrismaClient
}

/** Errors of the file leave with their code, whoever asked. While the storage takes no writes, none is tried (STORE-7). */
export function createPrismaClients(file: string, gate: WriteGate, storage: WriteGuard): PrismaClients {
  const write = <T>(work: () => Promise<T>): Promise<T> =>
    gate.run(async () => {
      storage.requireTaking()
      const done = await work()
      storage.requireKept()
      return done
    })
  const reader = new PrismaClient({ adapter: adapterFor(file, readerPragmas) })
  const base = new PrismaClient({ adapter: adapterFor(file, writerPragmas) })
  const gated = base.$extends({
    query: {
      async $allOperations({ model, operation, args, query }) {
        try {
          if (gate.isHeldHere) return await query(args)
          if (model && readOperations.has(operation)) return await readFrom(reader, model, operation, args)
          return await write(() => query(args))
        } catch (error) {
          storage.failed(error)
          throw toStorageError(error)
        }
      },
    },
  })
  const transaction = gated.$transaction.bind(gated) as (...args: unknown[]) => Promise<unknown>
  const prisma = new Proxy(gated, {
    get(target, property) {
      if (property === '$transaction') return (...args: unknown[]) => write(() => transaction(...args))
      return Reflect.get(target, property, target)
    },
  })
  return { prisma: prisma as unknown as PrismaClient, reader }
}

function readFrom(reader: PrismaClient, model: string, operation: string, args: unknown): Promise<unknown> {
  const delegate = (reader as unknown as Reads)[model.charAt(0).toLowerCase() + model.slice(1)]
  const read = delegate?.[operation]
  if (!delegate || !read) throw new TypeError(`no ${operation} on ${model}`)
  return read.call(delegate, args)
}

/** `unixepoch-ms`: dates are integers, the same for Prisma and for raw statements. */
function adapterFor(file: string, pragmas: Pragmas) {
  const factory = new PrismaBetterSqlite3({ url: file }, { timestampFormat: 'unixepoch-ms' })
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    await adapter.executeScript(pragmaScript(pragmas))
    const found = new Map<string, unknown>()
    for (const name of Object.keys(pragmas)) {
      const result = await adapter.queryRaw({ sql: `PRAGMA ${name}`, args: [], argTypes: [] })
      found.set(name, result.rows[0]?.[0])
    }
    requirePragmas(pragmas, (name) => found.get(name))
    return adapter
  }
  return factory
}
