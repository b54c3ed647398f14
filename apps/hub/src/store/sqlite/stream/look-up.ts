/**
 * Looks up rows by their keys, several keys in one statement. A damaged row differs from a missing one: only a caller that
 * reads its key gets the error, and the decision can use all other keys.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Looked } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import { troubleOf } from '../file/storage-error'

/** Most batches look nothing up but their machine and their session. */
export const nothing: ReadonlyMap<never, never> = new Map<never, never>()
const missing: Looked<never> = { row: undefined }
const damaged: Looked<never> = { row: undefined, damaged: true }

export interface Lookup<Raw, Row> {
  one: (key: string) => Raw | undefined
  many: (keys: readonly string[]) => Raw[]
  keyOf: (raw: Raw) => string
  /** Throws `STORAGE_DAMAGED` where the row is not whole. */
  toRow: (raw: Raw) => Row
}

/** Rows by one column. */
export function byKey<Raw>(db: Connection, select: string, column: string): Pick<Lookup<Raw, unknown>, 'one' | 'many'> {
  const one = db.prepare<[string], Raw>(`${select} WHERE ${column} = ?`)
  const many = db.prepare<[string], Raw>(`${select} WHERE ${column} IN (SELECT value FROM json_each(?))`)
  return { one: (key) => one.get(key), many: (keys) => many.all(JSON.stringify(keys)) }
}

export function lookUp<Raw, Row>(db: Connection, { one, many, keyOf, toRow }: Lookup<Raw, Row>) {
  const looked = (raw: Raw | undefined): Looked<Row> => (raw === undefined ? missing : found(db, () => toRow(raw)))
  return (keys: readonly string[] = []): ReadonlyMap<string, Looked<Row>> => {
    if (keys.length === 0) return nothing
    const wanted = keys.length > 1 ? [...new Set(keys)] : keys
    const rows = wanted.length > 1 ? whole(db, () => many(wanted)) : undefined
    const rowsByKey = rows && new Map(rows.map((raw) => [keyOf(raw), raw]))
    const alone = (key: string) => {
      const read = found(db, () => one(key))
      return read.damaged ? damaged : looked(read.row)
    }
    return new Map(wanted.map((key) => [key, rowsByKey ? looked(rowsByKey.get(key)) : alone(key)]))
  }
}

/** What a key of another shape finds. */
export function lookEach<Key, T>(
  keys: readonly Key[] = [],
  entry: (key: Key) => readonly [string, T],
): ReadonlyMap<string, T> {
  return keys.length === 0 ? nothing : new Map(keys.map(entry))
}

export function found<T>(db: Connection, read: () => T | undefined): Looked<T> {
  try {
    return { row: read() }
  } catch (error) {
    return requireDamage(db, error)
  }
}

function whole<T>(db: Connection, read: () => T): T | undefined {
  return found(db, read).row
}

/** Some failures have ended the transaction: nothing more may be written in it. */
function requireDamage(db: Connection, error: unknown): Looked<never> {
  const isDamage = error instanceof CodedError ? error.code === 'STORAGE_DAMAGED' : troubleOf(error) === 'damaged'
  if (!isDamage || !db.inTransaction) throw error
  return damaged
}
