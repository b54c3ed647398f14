/**
 * Delivers everything that is stored to one follower, in append order, and stores its progress. Everything that is made from
 * transcripts builds on this (the bus, trees of sessions, a check of the audit log): it runs after the ack and continues where it
 * stopped (STORE-2.2).
 *
 * It never slows the stream of events: it reads small batches and rests after each for a multiple of the time that the
 * batch took. A failure is retried at the next tick from the same cursor. The cursor is written with the follower's own
 * writes, or when the follower rests after it took entries. What it only skipped is written in large steps: a busy hub would
 * otherwise commit the cursor of each follower once a second, and reading over it again costs one query.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../common/log'
import { WakeLoop } from '../common/wake-loop'
import type { AppendCursor, AppendStore } from '../ports/append-store'
import { isTold } from '../ports/storage-port'
import type { Transactions } from '../ports/stores'
import type { Follower } from './follower'

export interface LogFollowerDeps {
  appends: AppendStore
  transactions: Transactions
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  log: Log
  /** Waits this long after a batch. */
  rest?: (ms: number) => Promise<void>
}

/** How many numbers are examined, and how many characters are delivered, at once. */
const LOT = { maxEvents: 1_000, maxBytes: 262_144 }
const FAR_BEHIND = 1_000
/** So many skipped positions are worth a write of their own. */
const SKIPPED_AT_ONCE = 1_000
/** Milliseconds of rest for each millisecond of work. */
const REST = 4

export class LogFollower {
  readonly #deps: LogFollowerDeps
  readonly #follower: Follower
  readonly #loop: WakeLoop
  /** After the last entry that was taken. */
  #at: AppendCursor | null = null
  #kept: AppendCursor | null = null
  /** Entries were taken that the kept cursor is not past. */
  #hasTaken = false

  constructor(follower: Follower, deps: LogFollowerDeps) {
    this.#follower = follower
    this.#deps = deps
    this.#loop = new WakeLoop({
      step: () => this.#catchUp(),
      onError: (error) => this.#tell(error),
      restsAfterFailure: true,
    })
  }

  /** Does not wait for the work. */
  tick(): void {
    if (!this.#loop.isAtWork) this.#loop.wake()
  }

  /** Something that this follower reads was stored just now: for followers whose readers wait. */
  wake(): void {
    this.#loop.wake()
  }

  /** Positions that are stored and not taken. A batch may be past one. */
  async lag(): Promise<number> {
    const { appends } = this.#deps
    const { position } = this.#at ?? (await appends.cursor(this.#follower.name))
    return Math.max(0, (await appends.newest()) - position)
  }

  /** Resolves when the current batch is taken. No other begins. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #catchUp(): Promise<void> {
    try {
      if (!this.#at) await this.#tellLag()
      while (!(await this.#takeLot()) && !this.#loop.isStopped) {}
      if (this.#isWorthKeeping()) await this.#keep()
    } catch (error) {
      this.#at = this.#kept
      throw error
    }
  }

  #tell(error: unknown): void {
    if (!isTold(error))
      this.#deps.log.error({ follower: this.#follower.name, error: String(error) }, 'a follower of the log failed')
  }

  /** Logged at the start, so that the operator sees why derived data is not there yet. */
  async #tellLag(): Promise<void> {
    const behind = await this.lag()
    if (behind >= FAR_BEHIND)
      this.#deps.log.info({ follower: this.#follower.name, behind }, 'a follower of the log is catching up')
  }

  /** True if there was nothing more to take. */
  async #takeLot(): Promise<boolean> {
    const { appends, elapsed, rest = restFor } = this.#deps
    const beganAt = elapsed()
    const from = await this.#cursor()
    const { entries, cursor, isEnd } = await appends.after(from, LOT, this.#follower.kinds)
    const follower = this.#follower
    const work = async () => {
      const write = await follower.take(entries)
      this.#at = cursor
      this.#hasTaken = true
      if (write) await this.#keep(write)
    }
    if (entries.length === 0) this.#at = cursor
    else await (follower.inTurn ? follower.inTurn(work) : work())
    if (!isEnd) await rest(REST * (elapsed() - beganAt))
    return isEnd
  }

  async #cursor(): Promise<AppendCursor> {
    if (this.#at) return this.#at
    this.#kept = await this.#deps.appends.cursor(this.#follower.name)
    this.#at = this.#kept
    return this.#at
  }

  #isWorthKeeping(): boolean {
    const skipped = (this.#at?.position ?? 0) - (this.#kept?.position ?? 0)
    return this.#hasTaken || skipped >= SKIPPED_AT_ONCE
  }

  async #keep(write?: (tx: Parameters<Parameters<Transactions['write']>[0]>[0]) => Promise<void>): Promise<void> {
    const at = this.#at
    if (!at || (!write && at.position === this.#kept?.position && at.seq === this.#kept.seq)) return
    await this.#deps.transactions.write(async (tx) => {
      await write?.(tx)
      await tx.followers.move(this.#follower.name, at)
    })
    this.#kept = at
    this.#hasTaken = false
    if (write) this.#follower.written?.()
  }
}

const restFor = async (ms: number): Promise<void> => void (await delay(ms, undefined, { ref: false }))
