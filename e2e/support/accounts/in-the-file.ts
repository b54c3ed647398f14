/** Opens the SQLite file of a running program as another process would. */
import Database from 'better-sqlite3'

export function inTheFile<T>(
  file: string,
  work: (db: Database.Database) => T,
  { readonly = false }: { readonly?: boolean } = {},
): T {
  const db = new Database(file, { readonly, timeout: 5_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}
