/**
 * The batched raw writer: jobs of all agents are gathered for one turn of the event loop, run in one transaction of one
 * connection behind the write gate, and answered only after the commit (ACK-1, ACK-2). No timer is involved.
 *
 * A job is synchronous: it loads, decides, then writes, and returns its answer as a value. A job that throws spoils its
 * group. The group is then rolled back and tried once more with a savepoint for each job, so that a bad job costs no other
 * its ack, and all of them together one commit.
 * When the storage itself refuses (full, I/O error), every job of the group is refused and nothing is acknowledged; until it
 * takes writes again, those that follow are refused without a try.
 */
import type { Statement } from 'better-sqlite3'
import type { Connection } from './connections'
import { isStorageFailure, toStorageError } from './storage-error'
import type { WriteGuard } from './storage-keeper'
import type { WriteGate } from './write-gate'

const GROUP_EVENTS = 512

export interface GroupCommitOptions {
  db: Connection
  gate: WriteGate
  storage: WriteGuard
  /** Named points at which a test may stop the process or fail the disk. */
  failpoint?: ((name: 'hub.afterInsert' | 'hub.afterCommit.beforeAck') => void) | undefined
}

interface Job {
  weight: number
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type Outcome = { job: Job } & ({ value: unknown } | { error: unknown })

export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #begin: Statement
  readonly #end: Statement
  #queue: Job[] = []
  #armed = false
  #idle: Array<() => void> = []

  constructor(options: GroupCommitOptions) {
    this.#options = options
    this.#begin = options.db.prepare('BEGIN IMMEDIATE')
    this.#end = options.db.prepare('COMMIT')
  }

  /** `weight` is how many events the job may store. Never call it while holding the gate: it would wait for itself. */
  run<T>(weight: number, work: () => T): Promise<T> {
    if (this.#options.gate.isHeldHere) throw new Error('a group commit was asked for inside the write gate')
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ weight, work, resolve: resolve as (value: unknown) => void, reject })
      this.#arm()
    })
  }

  /** Resolves when everything that was asked for so far is answered. */
  async drained(): Promise<void> {
    while (this.#armed || this.#queue.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    const { gate } = this.#options
    await gate.run(() => this.#commitGroup(this.#take()))
    this.#armed = false
    if (this.#queue.length > 0) this.#arm()
    else for (const resolve of this.#idle.splice(0)) resolve()
  }

  #take(): Job[] {
    let events = 0
    let count = 0
    for (const job of this.#queue) {
      if (count > 0 && events + job.weight > GROUP_EVENTS) break
      events += job.weight
      count += 1
    }
    return this.#queue.splice(0, count)
  }

  #commitGroup(jobs: Job[]): void {
    const { storage, failpoint } = this.#options
    let outcomes: Outcome[]
    try {
      storage.requireTaking()
      outcomes = this.#outcomes(jobs)
    } catch (error) {
      if (isStorageFailure(error)) storage.failed(error)
      for (const job of jobs) job.reject(toStorageError(error))
      return
    }
    failpoint?.('hub.afterCommit.beforeAck')
    for (const outcome of outcomes) {
      if ('error' in outcome) outcome.job.reject(toStorageError(outcome.error))
      else outcome.job.resolve(outcome.value)
    }
  }

  #outcomes(jobs: Job[]): Outcome[] {
    try {
      return this.#transact(() => jobs.map((job) => ({ job, value: job.work() })))
    } catch (error) {
      if (jobs.length === 1 || isStorageFailure(error)) throw error
      return this.#transact(() => jobs.map((job) => this.#apart(job)))
    }
  }

  /** Inside a transaction: what it throws is undone, and it alone. */
  #apart(job: Job): Outcome {
    const { db } = this.#options
    db.exec('SAVEPOINT job')
    try {
      const value = job.work()
      db.exec('RELEASE job')
      return { job, value }
    } catch (error) {
      // Some failures of the storage have ended the transaction by now.
      if (isStorageFailure(error) || !db.inTransaction) throw error
      db.exec('ROLLBACK TO job; RELEASE job')
      return { job, error }
    }
  }

  #transact(work: () => Outcome[]): Outcome[] {
    const { db, failpoint, storage } = this.#options
    this.#begin.run()
    try {
      const outcomes = work()
      failpoint?.('hub.afterInsert')
      this.#end.run()
      storage.requireKept()
      return outcomes
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}
