/**
 * Whether the database and its WAL are still where they were opened. A file that was removed, or that another one took the
 * place of, takes writes as before, and the next start of the hub reads none of them.
 */
import { realpathSync, type Stats, statSync } from 'node:fs'

/** What is written now is lost. Has no code of SQLite: the database itself finds nothing wrong. */
export class LostFile extends Error {
  constructor() {
    super('The file of the database, or its WAL, was moved or removed while the hub ran.')
  }
}

export class FilePlace {
  readonly #opened: ReadonlyArray<readonly [file: string, stats: Stats]>

  /** Both files are there: the database is open for writing. */
  constructor(file: string) {
    const real = realpathSync(file)
    this.#opened = [real, `${real}-wal`].map((name) => [name, statSync(name)] as const)
  }

  /** Throws `LostFile`. */
  requireKept(): void {
    for (const [file, { ino, dev }] of this.#opened) {
      const found = statSync(file, { throwIfNoEntry: false })
      if (found?.ino !== ino || found.dev !== dev) throw new LostFile()
    }
  }
}
