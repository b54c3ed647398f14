/**
 * Checks that a log's file is still the one that was opened. A file that was deleted or replaced still accepts writes, but
 * nobody ever reads them. Its writer must end, and the next one continues with the existing file (REB-1).
 */
import { existsSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'

/** `away`: the whole folder is missing, for example while it is moved or its disk is detached. It may come back. */
export type Whereabouts = 'here' | 'away' | 'lost'

/** Further writes to this file are lost. */
export class LostLog extends Error {
  constructor() {
    super('The file of this log is gone, or another one is in its place.')
  }
}

export class LogPlace {
  private readonly opened: Stats

  constructor(private readonly file: string) {
    this.opened = statSync(file)
  }

  look(): Whereabouts {
    const found = statSync(this.file, { throwIfNoEntry: false })
    if (!found) return existsSync(path.dirname(this.file)) ? 'lost' : 'away'
    return found.ino === this.opened.ino && found.dev === this.opened.dev ? 'here' : 'lost'
  }

  /** Throws `LostLog`. */
  requireKept(): Exclude<Whereabouts, 'lost'> {
    const place = this.look()
    if (place === 'lost') throw new LostLog()
    return place
  }
}
