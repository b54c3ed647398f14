/**
 * Gives each read of several statements a connection of its own until it ends, so that all its statements see one state (VIEW-1) and
 * no other read gets an old one, although the read stays open across an `await`. The pool opens up to four connections as it needs
 * them; a caller that finds none free waits. The pool gives up a read that does not end, and closes its connection: it would also
 * keep the WAL from being reset.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Reads } from '../../../core/ports/stores'
import type { Connection } from '../file/connections'
import { toStorageError } from '../file/storage-error'

const CONNECTIONS = 4
/** From the moment at which it was asked for. */
const LONGEST_MS = 10_000

export interface ReadPoolOptions {
  open: () => Connection
  /** The reads of one connection. `requireOpen` throws once nothing may be read by them any more. */
  readsOf: (db: Connection, requireOpen: () => void) => Reads
  connections?: number
  /** Calls back unless it is cancelled. */
  after?: (ms: number, late: () => void) => () => void
}

interface Pooled {
  db: Connection
  reads: Reads
  begin: () => void
  end: () => void
  /** Somebody's transaction is open on it. */
  isLent: boolean
}

export class ReadPool {
  readonly #options: Required<ReadPoolOptions>
  /** The one that was used last comes first: it has the pages at hand. */
  readonly #free: Pooled[] = []
  readonly #all = new Set<Pooled>()
  readonly #waiting: Array<(pooled: Pooled) => void> = []
  #closed = false

  constructor(options: ReadPoolOptions) {
    this.#options = { connections: CONNECTIONS, after: timeout, ...options }
  }

  async run<T>(work: (reads: Reads) => Promise<T>): Promise<T> {
    let mine: Pooled | undefined
    let isOver = false
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = this.#options.after(LONGEST_MS, () => {
        isOver = true
        if (mine) this.#discard(mine)
        reject(new CodedError('STORAGE_UNAVAILABLE', 'The hub’s database took too long to answer.'))
      })
    })
    const reading = async () => {
      mine = await this.#take(() => isOver)
      return work(mine.reads)
    }
    try {
      return await Promise.race([reading(), late])
    } catch (error) {
      throw toStorageError(error)
    } finally {
      cancel()
      if (mine && !isOver) this.#giveBack(mine)
    }
  }

  close(): void {
    this.#closed = true
    for (const pooled of this.#all) this.#discard(pooled)
  }

  async #take(isOver: () => boolean): Promise<Pooled> {
    const free = this.#free.pop() ?? this.#open()
    const pooled = free ?? (await new Promise<Pooled>((resolve) => this.#waiting.push(resolve)))
    if (isOver()) {
      this.#pass(pooled)
      throw closed()
    }
    try {
      pooled.begin()
    } catch (error) {
      this.#discard(pooled)
      throw error
    }
    pooled.isLent = true
    return pooled
  }

  #open(): Pooled | undefined {
    if (this.#closed) throw closed()
    if (this.#all.size >= this.#options.connections) return undefined
    const db = this.#options.open()
    const requireLent = () => {
      if (!pooled.isLent) throw closed()
    }
    const [begin, end] = [db.prepare('BEGIN'), db.prepare('ROLLBACK')]
    const pooled: Pooled = {
      db,
      reads: this.#options.readsOf(db, requireLent),
      begin: () => void begin.run(),
      end: () => void (db.inTransaction && end.run()),
      isLent: false,
    }
    this.#all.add(pooled)
    return pooled
  }

  /** Rolled back, since nothing was written: a commit fails where a page could not be read, although the work did without it. */
  #giveBack(pooled: Pooled): void {
    if (!this.#all.has(pooled)) return
    pooled.isLent = false
    try {
      pooled.end()
      this.#pass(pooled)
    } catch {
      this.#discard(pooled)
    }
  }

  #pass(pooled: Pooled): void {
    const next = this.#waiting.shift()
    if (next) next(pooled)
    else this.#free.push(pooled)
  }

  #discard(pooled: Pooled): void {
    pooled.isLent = false
    this.#all.delete(pooled)
    const place = this.#free.indexOf(pooled)
    if (place >= 0) this.#free.splice(place, 1)
    pooled.db.close()
    if (!this.#closed) this.#openForWaiting()
  }

  /** Where none can be opened now, whoever waits goes on waiting for another. */
  #openForWaiting(): void {
    const next = this.#waiting.shift()
    if (!next) return
    const another = this.#tryToOpen()
    if (another) next(another)
    else this.#waiting.unshift(next)
  }

  #tryToOpen(): Pooled | undefined {
    try {
      return this.#open()
    } catch {
      return undefined
    }
  }
}

const closed = () => new CodedError('STORAGE_UNAVAILABLE', 'This read of the hub’s database is over.')

function timeout(ms: number, late: () => void): () => void {
  const timer = setTimeout(late, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
