/** What every connection must run under. Pragmas are per connection, so each sets them and reads them back. */
import { CodedError } from '@roundhouse/backend-types'

export const writerPragmas = {
  journal_mode: 'wal',
  /** 2 = FULL: an ack means flushed (I4). The build's default in WAL mode would be NORMAL. */
  synchronous: 2,
  foreign_keys: 1,
  /**
   * The gate makes waiting needless between our own connections. Another program may hold the lock for a moment; as long as
   * this the whole process waits, and then it is a state (STORE-7).
   */
  busy_timeout: 250,
} as const

export const readerPragmas = { journal_mode: 'wal', foreign_keys: 1, busy_timeout: 5_000 } as const

type Pragmas = Readonly<Record<string, string | number>>

export function pragmaScript(pragmas: Pragmas): string {
  return Object.entries(pragmas)
    .map(([name, value]) => `PRAGMA ${name} = ${value};`)
    .join(' ')
}

/** Refuses a connection whose pragmas did not take, on a file system without WAL for example. */
export function requirePragmas(pragmas: Pragmas, read: (name: string) => unknown): void {
  for (const [name, wanted] of Object.entries(pragmas)) {
    const found = read(name)
    const value = typeof found === 'bigint' ? Number(found) : found
    if (value !== wanted) {
      throw new CodedError(
        'STORAGE_UNAVAILABLE',
        `The database does not accept ${name}=${wanted} (it says ${value}).`,
        {
          pragma: name,
        },
      )
    }
  }
}
