/**
 * Whether the hub can write. A full or failing disk is a state, and so is a lock of another program: it begins with the first
 * write that fails, and it is told once. Every other write is refused from then on without a try, which may block the process.
 * It ends by itself when a write of the keeper's own, tried once a second, reaches the disk. Beside this the keeper moves the
 * WAL into the file now and then, so that the file alone is never far behind.
 */
import { open, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { requireTaking, type StorageHealth, type StoragePort } from '../../../core/ports/storage-port'
import type { Connection } from './connections'
import { FilePlace } from './file-place'
import { writerPragmas } from './pragmas'
import { troubleOf } from './storage-error'
import { mark } from './wal-match'
import type { WriteGate } from './write-gate'

const CHECKPOINT_MS = 10_000
/**
 * Less than this is no room: a small write may fit between two that do not, or into the WAL as it is. Where a quota refuses
 * what the disk has room for, only writing as much shows it.
 */
const ROOM_BYTES = 1_048_576
/** Beside the database, for a moment. */
const PROBE_FILE = '.probe'

/** What every writer asks before it tries and once it has written, and tells of what failed. */
export type WriteGuard = Pick<StorageKeeper, 'requireTaking' | 'requireKept' | 'failed'>

export interface StorageKeeperOptions {
  db: Connection
  gate: WriteGate
  file: string
  now: () => number
  /** Never goes back. */
  elapsed?: () => number
  roomIn?: (folder: string) => Promise<number>
}

export class StorageKeeper implements StoragePort {
  readonly #options: Required<StorageKeeperOptions>
  readonly #place: FilePlace
  readonly #listeners = new Set<(health: StorageHealth) => void>()
  #health: StorageHealth = { state: 'ok', since: null }
  #checkpointedAt: number
  /** What had been written when the WAL was last begun anew; null while it was not. */
  #markedAt: string | null = null

  /** The database is open for writing, with a WAL. */
  constructor(options: StorageKeeperOptions) {
    this.#place = new FilePlace(options.file)
    this.#options = { elapsed: () => performance.now(), roomIn: freeBytes, ...options }
    this.#checkpointedAt = this.#options.elapsed()
  }

  health(): StorageHealth {
    return this.#health
  }

  /** Asked behind the gate: the write before may have been the one that failed. */
  requireTaking(): void {
    requireTaking(this.#health)
    this.requireKept()
  }

  /** Throws `LostFile`: what is written is where nobody finds it again. */
  requireKept(): void {
    this.#place.requireKept()
  }

  onChange(listener: (health: StorageHealth) => void): void {
    this.#listeners.add(listener)
  }

  /** Any error of a write; what says nothing of the disk is passed over. */
  failed(error: unknown): void {
    const trouble = troubleOf(error)
    if (trouble === null || trouble === 'damaged' || this.#health.state !== 'ok') return
    this.#set({ state: trouble, since: this.#options.now() })
  }

  async tick(): Promise<void> {
    const { elapsed } = this.#options
    if (this.#health.state !== 'ok') return this.#probe()
    this.#look()
    if (elapsed() - this.#checkpointedAt >= CHECKPOINT_MS) await this.checkpoint()
  }

  /** What a reader still needs stays in the WAL until the next time. Where nothing was written since, nothing is. */
  async checkpoint(): Promise<void> {
    const { db, gate, elapsed } = this.#options
    this.#checkpointedAt = elapsed()
    try {
      await gate.run(() => {
        if (this.#health.state !== 'ok' || this.#written() === this.#markedAt) return
        mark(db)
        const [done] = db.pragma('wal_checkpoint(PASSIVE)') as Array<{ log: number; checkpointed: number }>
        if (!done || done.checkpointed < done.log) return
        mark(db)
        this.#markedAt = this.#written()
      })
    } catch (error) {
      this.failed(error)
    }
  }

  /** A hub that writes nothing finds out, too. */
  #look(): void {
    try {
      this.requireKept()
    } catch (error) {
      this.failed(error)
    }
  }

  /** Changes with each commit, ours and those of others. */
  #written(): string {
    const { db } = this.#options
    const own = db.prepare<[], number>('SELECT total_changes()').pluck().get()
    return `${own} ${db.pragma('data_version', { simple: true })}`
  }

  async #probe(): Promise<void> {
    const { db, gate, file, roomIn } = this.#options
    if (this.#health.state === 'full' && (await roomIn(path.dirname(file))) < ROOM_BYTES) return
    if (!(await takesFile(path.join(path.dirname(file), PROBE_FILE)))) return
    try {
      await gate.run(() => {
        this.requireKept()
        tryWrite(db)
      })
      this.#set({ state: 'ok', since: null })
    } catch (error) {
      if (troubleOf(error) === null) throw error
    }
  }

  #set(health: StorageHealth): void {
    this.#health = health
    for (const listener of this.#listeners) listener(health)
  }
}

/** A lock that is still held is not waited for: the whole process would. */
function tryWrite(db: Connection): void {
  db.pragma('busy_timeout = 0')
  try {
    db.exec('UPDATE HubState SET starts = starts WHERE id = 1')
    db.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    db.pragma(`busy_timeout = ${writerPragmas.busy_timeout}`)
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function takesFile(file: string): Promise<boolean> {
  try {
    await rm(file, { force: true })
    const handle = await open(file, 'wx', 0o600) // no link is written through
    try {
      await handle.writeFile(Buffer.alloc(ROOM_BYTES))
      await handle.sync()
    } finally {
      await handle.close()
      await rm(file, { force: true })
    }
    return true
  } catch {
    return false
  }
}
